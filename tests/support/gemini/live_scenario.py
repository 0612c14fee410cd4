"""The data files of ADK's own live runs."""

import msgspec

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Step


class Action(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that the user of a live run does or waits for."""

    say: str | None = None
    audio: str | None = None
    """A piece of sound, in base64."""
    audio_stream_end: bool = False
    image: str | None = None
    """A picture, in base64."""
    activity: str | None = None
    """`start` or `end` of speech, where the client detects it."""
    until: Json | None = None
    """Wait for an event that has these fields."""
    decide: dict[str, bool] | None = None
    """Answer the approval of the call with this id."""
    result: Json | None = None
    """The outcome of a browser tool: `id`, `name` and `response`."""
    signal: str | None = None
    """Let the model's side go on."""
    reach: str | None = None
    """Wait for this mark of the model's side."""
    close: bool = False


class LiveScenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A live run of ADK's own: the model's connections, the user's actions, ADK's events."""

    about: str
    model: str
    connections: list[list[Step]]
    user: list[Action]
    run_config: Json = {}
    non_blocking: bool = False
    """Server tools are dispatched without holding up the run."""
    history: list[Json] = []
    events: list[Json] = []
    failure: str | None = None
    """The exception with which the run ends."""
