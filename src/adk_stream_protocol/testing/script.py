"""The brain of the scripted model: a context in, what the model does in this turn out.

It keeps nothing between turns. How far a script has been played follows from the context alone, so
one model can serve any number of sessions, processes and transports.
"""

from adk_stream_protocol.testing.actions import Call, Echo, Say, Turn, say
from adk_stream_protocol.testing.context import Context
from adk_stream_protocol.testing.directives import has_directives, parse
from adk_stream_protocol.testing.language import wording_for
from adk_stream_protocol.testing.listing import listing
from adk_stream_protocol.testing.phrases import understand


def next_turn(context: Context) -> Turn:
    """The model turn that follows from the context."""
    message = context.message()
    outcomes = [outcome for made in context.rounds() for outcome in made]
    turns = parse(message) if has_directives(message) else understand(message)
    turn = _rest(turns, len(outcomes))
    if turn is None:
        return [say(wording_for(message).report(outcomes))]
    return [Say((listing(context),)) if isinstance(a, Echo) else a for a in turn]


def _rest(turns: list[Turn], made: int) -> Turn | None:
    """What is left of the script after so many calls; None at its end.

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
