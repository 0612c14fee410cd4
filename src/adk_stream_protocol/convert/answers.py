"""Matches a client's answers with the calls this server has open. What does not match is refused.

Nothing here changes anything: the result is a plan, and a request with one wrong answer has none.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import NOTHING, Call, Calls
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.errors import BadRequest, Conflict, Expired, UnknownId

_VERDICT_KEYS = ("approved", "confirmed", "approval")
_DECISION_KEYS = frozenset({*_VERDICT_KEYS, "user_message", "reason", "payload"})

CheckOutput = Callable[[Call, Any], str | None]


@dataclass(slots=True)
class Decision:
    """A person's verdict on one call."""

    call: Call
    approved: bool
    reason: str | None
    shown: list[Any] = field(default_factory=list[Any])
    """The arguments that the client has shown to the person."""


@dataclass(slots=True)
class Plan:
    """The effects of a request with answers."""

    decisions: list[Decision] = field(default_factory=list[Decision])
    results: list[tuple[Call, dict[str, Any]]] = field(
        default_factory=list[tuple[Call, dict[str, Any]]]
    )
    may_run_in_browser: list[Call] = field(default_factory=list[Call])
    """Approved browser calls whose result is still due: the browser may run them now."""
    early_results: list[tuple[Call, Any]] = field(default_factory=list[tuple[Call, Any]])
    """Results that came before their approval. They are kept; the approval is asked for again."""
    repeated: list[Call] = field(default_factory=list[Call])
    """Calls answered before, in the same way."""
    unacknowledged: list[Call] = field(default_factory=list[Call])
    """Those of them that are over, though the client does not show how: its reply was cut off."""

    @classmethod
    def of_unfinished(cls, calls: Iterable[Call]) -> "Plan":
        """Plan to go on with what was decided outside of the chat."""
        return cls(repeated=[call for call in calls if call.is_unfinished])

    @property
    def calls(self) -> list[Call]:
        """All calls that the answers are to."""
        decided = [decision.call for decision in self.decisions]
        results = [call for call, _ in (*self.results, *self.early_results)]
        return [*decided, *results, *self.may_run_in_browser, *self.repeated]

    @property
    def unfinished(self) -> list[Call]:
        """Calls decided before whose result is still missing: their run was cut off."""
        return [call for call in self.repeated if call.is_unfinished]

    @property
    def is_replay(self) -> bool:
        """Return whether the request asks for nothing but what was sent before."""
        return self.is_repeat and not self.unfinished

    @property
    def is_repeat(self) -> bool:
        """Return whether the request says nothing new."""
        return not (self.decisions or self.results or self.may_run_in_browser or self.early_results)


@dataclass(slots=True)
class _Said:
    """All that one request says about one call."""

    call: Call
    path: str
    approved: bool | None = None
    reason: str | None = None
    value: Any = NOTHING
    error: str | None = None
    echoed: bool = True
    shown: list[Any] = field(default_factory=list[Any])


def match_answers(calls: Calls, answers: tuple[Answer, ...], check: CheckOutput) -> Plan:
    """Plan what these answers lead to, or raise the error that refuses all of them."""
    said: dict[str, _Said] = {}
    unknown: list[Answer] = []
    for answer in answers:
        call = _find(calls, answer)
        if call is None:
            unknown.append(answer)
        else:
            _merge(said.setdefault(call.id, _Said(call, answer.path)), answer)
    if any(not answer.echoed for answer in unknown) or not said:
        raise UnknownId("There is no such open request in this chat.")
    plan, refusal = _plan(list(said.values()), check)
    if plan.is_repeat and refusal:
        raise refusal
    return plan


def _find(calls: Calls, answer: Answer) -> Call | None:
    found = {call.id if call else None: call for call in map(calls.find, answer.ids)}
    if len(found) > 1:
        raise BadRequest(f"{answer.path}: the ids belong to different calls")
    return next(iter(found.values()), None)


def _merge(said: _Said, answer: Answer) -> None:
    approved, reason, value = answer.approved, answer.reason, answer.value
    if _is_verdict(said.call, answer):
        verdict, given = read_verdict(value, answer.path)
        _decide(said, verdict, given, answer.path)
        value = NOTHING
    if approved is not None:
        _decide(said, approved, reason, answer.path)
    if said.value is NOTHING and value is not NOTHING:
        said.value, said.path = value, answer.path
    said.error = answer.error or said.error
    said.echoed = said.echoed and answer.echoed
    said.shown += _shown(said.call, answer)


def _shown(call: Call, answer: Answer) -> list[Any]:
    """Return the arguments of the call as the client shows them, if it does."""
    if answer.ids[0] == call.id:
        # Older clients send an empty object where they keep no arguments: it shows nothing.
        return [] if answer.input is NOTHING or answer.input == {} else [answer.input]
    fields = answer.input if isinstance(answer.input, dict) else {}
    original = fields.get("originalFunctionCall")  # in the part that asks about the call
    return [original["args"]] if isinstance(original, dict) and "args" in original else []


def _decide(said: _Said, approved: bool, reason: str | None, path: str) -> None:
    if said.approved not in (None, approved):
        raise BadRequest(f"{path}: the same call is both approved and denied")
    said.approved, said.reason = approved, reason or said.reason


def _is_verdict(call: Call, answer: Answer) -> bool:
    if answer.value is NOTHING or call.approval_id is None:
        return False
    if answer.ids[0] == call.approval_id:
        return True
    value = answer.value
    if answer.approved is not None or not isinstance(value, dict):
        return False
    if not value or not value.keys() <= _DECISION_KEYS:
        return False
    return call.waits_for_approval or any(key in value for key in _VERDICT_KEYS)


def read_verdict(value: Any, path: str) -> tuple[bool, str | None]:
    """Read yes or no, and the reason. Yes is JSON true, or the word "approved" in `approval`."""
    fields = value if isinstance(value, dict) else {}
    verdicts = {_verdict(key, fields[key]) for key in _VERDICT_KEYS if key in fields}
    if len(verdicts) != 1 or None in verdicts:
        raise BadRequest(f"{path}: one clear yes or no is expected, as true or false")
    reason = fields.get("user_message") or fields.get("reason")
    return verdicts == {True}, reason if isinstance(reason, str) else None


def _verdict(key: str, value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if key == "approval" and isinstance(value, str):
        return value == "approved"
    return None


def _plan(said: list[_Said], check: CheckOutput) -> tuple[Plan, Conflict | Expired | None]:
    plan = Plan()
    refusal: Conflict | Expired | None = None
    for said_of_call in said:
        try:
            _place(plan, said_of_call, check)
        except (Conflict, Expired) as late:
            if not said_of_call.echoed:
                raise
            refusal = late
    return plan, refusal


def _place(plan: Plan, said: _Said, check: CheckOutput) -> None:
    call = said.call
    if not call.is_open:
        _place_repeat(plan, said)
        return
    if not call.browser and (said.value is not NOTHING or said.error is not None):
        raise BadRequest(f"{said.path}: {call.name} runs on the server; its result is not taken")
    if said.approved is not None:
        _place_decision(plan, said)
    if call.browser:
        _place_browser(plan, said, check)
    elif said.approved is None:
        raise BadRequest(f"{said.path}: a yes or no is expected")


def _place_decision(plan: Plan, said: _Said) -> None:
    assert said.approved is not None
    if said.call.waits_for_approval:
        plan.decisions.append(Decision(said.call, said.approved, said.reason, said.shown))
    elif said.call.decision is not said.approved:
        raise Conflict("This call has already been decided.")


def _place_repeat(plan: Plan, said: _Said) -> None:
    call = said.call
    if tool_responses.outcome_code(call.response or {}) == "expired":
        raise Expired("The request expired before this answer; the answer has no effect.")
    if said.approved is not None and call.decision is not said.approved:
        raise Conflict("This call is no longer open; the answer has no effect.")
    if said.value is not NOTHING and call.response != tool_responses.browser_result(said.value):
        raise Conflict("This call already has a result; the new one has no effect.")
    plan.repeated.append(call)
    if call.response is not None and said.value is NOTHING and said.error is None:
        plan.unacknowledged.append(call)


def _place_browser(plan: Plan, said: _Said, check: CheckOutput) -> None:
    call = said.call
    allowed = said.approved or not call.waits_for_approval
    value = call.early_result if said.value is NOTHING else said.value
    if said.approved is False:
        plan.results.append((call, tool_responses.denied(said.reason)))
    elif said.error is not None:
        plan.results.append((call, tool_responses.browser_failed(said.error)))
    elif value is NOTHING:
        if not allowed:
            raise BadRequest(f"{said.path}: a yes or no is expected")
        plan.may_run_in_browser.append(call)
    elif fault := check(call, value):
        raise BadRequest(f"{said.path}: {fault}")
    elif allowed:
        plan.results.append((call, tool_responses.browser_result(value)))
    else:
        plan.early_results.append((call, value))
