"""The brain of the scripted model: a context in, what the model does in this turn out.

It keeps nothing between turns. How far a script has been played follows from the context alone, so
one model can serve any number of sessions, processes and transports.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.context.listing import listing
from adk_stream_protocol.testing.script.actions import Call, Echo, Say, Turn, say
from adk_stream_protocol.testing.script.directives import has_directives, parse
from adk_stream_protocol.testing.script.report import report

Answer = Callable[[str], list[Turn]]
"""Takes a message and returns the model turns that answer it; none if it does not understand."""
Report = Callable[[str, Sequence[Outcome]], str]
"""Takes a message and the calls made for it; returns what the model says after their results."""


def when(pattern: str, answer: Callable[[re.Match[str]], Turn]) -> Answer:
    """Make an answer of one model turn to messages in which the pattern is found, in any case."""
    compiled = re.compile(pattern, re.IGNORECASE)

    def answer_to(message: str) -> list[Turn]:
        found = compiled.search(message)
        return [answer(found)] if found else []

    return answer_to


def _not_understood(message: str) -> list[Turn]:
    return [[say("I only understand directives, such as /say 3, and what a test has taught me.")]]


def _report(message: str, outcomes: Sequence[Outcome]) -> str:
    return report(outcomes)


@dataclass(frozen=True)
class Script:
    """The lesson of a test for `ScriptedModel`. Messages with directives never come here."""

    answers: Sequence[Answer] = ()
    """Asked one after the other; the first that understands the message answers it."""
    otherwise: Answer = _not_understood
    """Answers what none of them understands."""
    report: Report = _report
    """Writes the last answer, when all calls are made: in plain English what became of each."""

    def next_turn(self, context: Context) -> Turn:
        """Return the model turn that follows from the context."""
        message = context.message()
        outcomes = [outcome for made in context.rounds() for outcome in made]
        turns = parse(message) if has_directives(message) else self._understand(message)
        turn = _rest(turns, len(outcomes))
        if turn is None:
            return [say(self.report(message, outcomes))]
        return [Say((listing(context),)) if isinstance(a, Echo) else a for a in turn]

    def _understand(self, message: str) -> list[Turn]:
        answers = (answer(message) for answer in self.answers)
        return next(filter(None, answers), None) or self.otherwise(message)


def _rest(turns: list[Turn], made: int) -> Turn | None:
    """Return what is left of the script after so many calls; None at its end.

    Calls are counted, not turns: a live model may make the parallel calls of a turn one by one.
    """
    for turn in turns:
        calls = [action for action in turn if isinstance(action, Call)]
        if made == 0:
            return turn
        if made < len(calls):
            return list(calls[made:])
        made -= len(calls)
    return None
