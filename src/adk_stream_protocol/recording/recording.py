"""A play that takes what comes and writes it into the script."""

from adk_stream_protocol.recording.matching import Json
from adk_stream_protocol.recording.play import Play

_LEFT_OUT = ("systemInstruction", "tools")


class RecordingPlay(Play):
    """Frames need only be of the expected kind; what they hold becomes the expectation."""

    def differences(self, expected: Json, frame: Json) -> list[str]:
        if expected.keys() != frame.keys():
            return [f"expected {list(expected)}, got {frame}"]
        if "setup" in frame:
            named = expected["setup"] or {}
            setup = frame["setup"].items()
            frame = {"setup": {k: v for k, v in setup if k in named or k not in _LEFT_OUT}}
        expected.update(frame)
        return []
