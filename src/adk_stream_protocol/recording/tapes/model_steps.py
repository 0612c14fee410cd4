"""The model's side of a recorded Live chat, as the steps of its connections.

On replay all goes faster. A step waits where in the recording the client came first: for the
beginning of the next turn, or for a turn of the server's being read.
"""

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import Step, is_sound
from adk_stream_protocol.recording.tapes.tape import Closed, Connected, Lost, OfModel, Said, Sent

_LEFT_OUT = ("systemInstruction", "tools")
_HANDLES = ("newHandle", "handle")


class ModelSteps:
    """The model's connections, as far as they have been read."""

    def __init__(self, naming: Naming) -> None:
        self.model = ""
        self.speaks = True
        self._naming = naming
        self._connections: dict[int, list[Step]] = {}
        self._holds: dict[int, str] = {}
        self._handles: dict[str, str] = {}
        self._at_once: set[int] = set()
        """Connections on which the client did nothing since the last frame to the model."""

    def take(self, entry: OfModel) -> None:
        """Add what happened."""
        if isinstance(entry, Connected):
            self._connections[entry.id] = []
        steps = self._connections.get(entry.id, [])
        match entry:
            case Sent(frame=frame):
                self._expect(entry.id, steps, self._without_handles(frame))
            case Said(frame=frame):
                self._naming.hear(frame)
                self._act(entry.id, steps, Step(send=self._without_handles(frame)))
            case Closed(code=code, reason=reason):
                self._act(entry.id, steps, Step(close=code, reason=reason))
            case Lost():
                self._act(entry.id, steps, Step(drop=True))
            case _:
                pass

    def hold(self, signal: str) -> None:
        """Let what the model says from now on wait for this, unless the client comes first."""
        self._holds = dict.fromkeys(self._connections, signal)
        self.client_acts()

    def client_acts(self) -> None:
        """Note that what goes to the model from now on may be because of the client."""
        self._at_once.clear()

    def _expect(self, number: int, steps: list[Step], frame: Json) -> None:
        if is_sound(frame):
            return
        self._holds.pop(number, None)
        if "setup" in frame:
            frame = self._setup(frame["setup"])
        self._naming.learn(frame)
        if number in self._at_once and "tool_response" in frame:
            _join(steps, frame)
        else:
            steps.append(Step(expect=frame))
        self._at_once.add(number)

    def _setup(self, setup: Json) -> Json:
        self.model = self.model or setup["model"].removeprefix("models/")
        modalities = setup.get("generationConfig", {}).get("responseModalities", ["AUDIO"])
        self.speaks = "AUDIO" in modalities
        return {"setup": {key: value for key, value in setup.items() if key not in _LEFT_OUT}}

    def _act(self, number: int, steps: list[Step], step: Step) -> None:
        if signal := self._holds.pop(number, None):
            steps.append(Step(wait=signal))
        steps.append(step)

    def _without_handles(self, value: Json) -> Json:
        return {key: self._clean(key, item) for key, item in value.items()}

    def _clean(self, key: str, value: object) -> object:
        if key in _HANDLES and isinstance(value, str):
            return self._handles.setdefault(value, f"handle-{len(self._handles) + 1}")
        return self._without_handles(value) if isinstance(value, dict) else value

    def connections(self, signals: set[str]) -> list[list[Step]]:
        """Return the steps, up to what waits for something that nobody signals any more."""
        cut = [_until_unsignalled(steps, signals) for steps in self._connections.values()]
        named = [[self._named(step) for step in steps] for steps in cut]
        return [steps for steps in named if steps]

    def waits(self) -> set[str]:
        """Return the signals that steps wait for."""
        steps = (step for steps in self._connections.values() for step in steps)
        return {step.wait for step in steps if step.wait}

    def _named(self, step: Step) -> Step:
        step.expect = self._naming.apply(step.expect)
        step.expect_all = self._naming.apply(step.expect_all)
        step.send = self._naming.apply(step.send, said=True)
        return step


def _until_unsignalled(steps: list[Step], signals: set[str]) -> list[Step]:
    for index, step in enumerate(steps):
        if step.wait and step.wait not in signals:
            return steps[:index]
    return steps


def _join(steps: list[Step], response: Json) -> None:
    """Join responses of calls that ran together: they may come in any order."""
    last = steps[-1]
    if last.expect and "tool_response" in last.expect:
        last.expect_all, last.expect = [last.expect, response], None
    elif last.expect_all:
        last.expect_all.append(response)
    else:
        steps.append(Step(expect=response))
