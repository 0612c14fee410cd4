"""A dialogue read as exchanges: a message of the user and the calls made about it.

In a live dialogue exchanges overlap: the user may write again while a call is open, and its result
then belongs to the older message. In request mode function call ids are no help, because ADK
removes the ones it made from what the model sees; a call and its result are then matched by their
names and their order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.genai import types


@dataclass(frozen=True)
class Outcome:
    """One call the model made, and its result if there is one yet."""

    name: str
    args: dict[str, Any]
    response: dict[str, Any] | None


@dataclass
class Asked:
    """A call and the newest of its results that is not followed by more."""

    call: types.FunctionCall
    response: types.FunctionResponse | None = None


@dataclass
class Exchange:
    """A message and the calls made about it, one list per model turn that made any."""

    message: types.Content | None = None
    rounds: list[list[Asked]] = field(default_factory=list[list[Asked]])

    def open(self) -> bool:
        """Return whether a result is missing."""
        return any(asked.response is None for made in self.rounds for asked in made)

    def outcomes(self) -> list[list[Outcome]]:
        """Return the calls and results as plain values."""
        return [[_outcome(asked) for asked in made] for made in self.rounds]


@dataclass(frozen=True)
class Reading:
    """The exchange that the end of a dialogue belongs to, and whether the model's turn is due."""

    exchange: Exchange
    due: bool


def read(contents: Iterable[types.Content]) -> Reading:
    """Read what a dialogue is about at its end."""
    exchanges = [Exchange()]
    exchange, due = exchanges[0], False
    for content in contents:
        responses = [p.function_response for p in content.parts or [] if p.function_response]
        calls = [p.function_call for p in content.parts or [] if p.function_call]
        if content.role == "user" and content.parts and not responses:
            exchange, due = Exchange(content), True
            exchanges.append(exchange)
        elif not responses:
            due = False
        if calls:
            exchange.rounds.append([Asked(call) for call in calls])
        for response in responses:
            owner = _answer(exchanges, response)
            exchange, due = owner or exchange, owner is not None and not owner.open()
    return Reading(exchange, due)


def _answer(exchanges: Sequence[Exchange], response: types.FunctionResponse) -> Exchange | None:
    for exchange in reversed(exchanges):
        for asked in (asked for made in exchange.rounds for asked in made):
            if _fits(asked, response):
                if not response.will_continue:
                    asked.response = response
                return exchange
    return None


def _fits(asked: Asked, response: types.FunctionResponse) -> bool:
    if asked.call.name != response.name:
        return False
    if asked.call.id and response.id:
        return asked.call.id == response.id
    return asked.response is None


def _outcome(asked: Asked) -> Outcome:
    response = None if asked.response is None else asked.response.response or {}
    return Outcome(asked.call.name or "", asked.call.args or {}, response)
