"""The brain of the scripted model: a context in, what the model does in this turn out.

It keeps nothing between turns. How far a script has been played follows from the context alone, so
one model can serve any number of sessions, processes and transports.
"""

from adk_stream_protocol.testing.actions import Echo, Say, Turn, say
from adk_stream_protocol.testing.context import Context
from adk_stream_protocol.testing.directives import has_directives, parse
from adk_stream_protocol.testing.language import wording_for
from adk_stream_protocol.testing.listing import listing
from adk_stream_protocol.testing.phrases import understand


def next_turn(context: Context) -> Turn:
    """The model turn that follows from the context."""
    message = context.message()
    rounds = context.rounds()
    turns = parse(message) if has_directives(message) else understand(message)
    if len(rounds) < len(turns):
        turn = turns[len(rounds)]
        return [Say((listing(context),)) if isinstance(a, Echo) else a for a in turn]
    outcomes = [outcome for made in rounds for outcome in made]
    return [say(wording_for(message).report(outcomes))]
