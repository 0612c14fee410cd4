"""A scripted model that was taught to greet and to answer thanks."""

from typing import Any

from adk_stream_protocol.testing import Script, ScriptedModel, say, when

POLITE = Script(
    answers=[
        when("hello", lambda found: [say("Hello! What can I do for you?")]),
        when("thank", lambda found: [say("You are welcome!")]),
    ]
)


def polite_model(**options: Any) -> ScriptedModel:
    """Make one, with other options of `ScriptedModel`."""
    return ScriptedModel(script=POLITE, **options)
