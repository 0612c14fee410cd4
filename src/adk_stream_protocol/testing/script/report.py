"""The sentence that the model says after the results: what became of each call, in English."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.fate import fate_of, reason_of, short

_VERBS = {
    "denied": "was denied",
    "expired": "expired before it was answered",
    "cancelled": "was cancelled",
    "unknown": "has an unknown outcome: it may or may not have happened",
    "waiting": "is still waiting for an answer",
    "failed": "failed",
}


@dataclass(frozen=True)
class Wording:
    """The words for a tool's calls."""

    subject: Callable[[Outcome], str]
    """Names a call, as the subject of a sentence."""
    success: Callable[[Outcome], str | None]
    """Tells what a call that went well brought; None for a result in another shape."""


def report(outcomes: Sequence[Outcome], wordings: Mapping[str, Wording] | None = None) -> str:
    """Return one sentence on what became of the calls; `wordings` are by name of tool."""
    known = wordings or {}
    clauses = [_clause(outcome, known.get(outcome.name, _PLAIN)) for outcome in outcomes]
    sentence = ", and ".join(clauses) or "there was nothing to do"
    return sentence[0].upper() + sentence[1:] + "."


def _clause(outcome: Outcome, wording: Wording) -> str:
    fate = fate_of(outcome)
    if fate == "done":
        return wording.success(outcome) or _returned(outcome)
    reason = reason_of(outcome)
    return f"{wording.subject(outcome)} {_VERBS[fate]}" + (f" ({reason})" if reason else "")


def _call(outcome: Outcome) -> str:
    return f"the call of {outcome.name}"


def _returned(outcome: Outcome) -> str:
    return f"{_call(outcome)} returned {short(outcome.response or {})}"


_PLAIN = Wording(subject=_call, success=_returned)
