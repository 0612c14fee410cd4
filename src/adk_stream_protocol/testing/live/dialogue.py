"""A live dialogue from the model's side: what it has heard and said, and what it does next.

It outlives connections, as the state behind a resumption handle does. It knows no time: a
connection asks for one step after the other and puts in what the user sends meanwhile.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from uuid import uuid4

from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.draft import Draft
from adk_stream_protocol.testing.live.playback import (
    Burst,
    LiveTurn,
    Step,
    interruption,
    transcript,
)
from adk_stream_protocol.testing.live.speech import Ear
from adk_stream_protocol.testing.script.actions import Drop, Fail, GoAway, Interrupt
from adk_stream_protocol.testing.script.script import Script


@dataclass(frozen=True)
class Replayed:
    """The history is complete, and its end may need an answer."""


@dataclass(frozen=True)
class Typed:
    """A complete message."""

    content: types.Content


@dataclass(frozen=True)
class SpeechBegan:
    """The user has begun to speak."""


@dataclass(frozen=True)
class Spoken:
    """The words that the user spoke."""

    text: str


@dataclass(frozen=True)
class Responded:
    """The result of a call."""

    response: types.FunctionResponse


Input = Replayed | Typed | SpeechBegan | Spoken | Responded


class Dialogue:
    """All that was said and called so far, what waits to be heard, and the turn being played."""

    def __init__(self, config: LiveConfig, script: Script | None = None) -> None:
        self.id = uuid4().hex
        self.config = config
        self._script = script or Script()
        self._contents: list[types.Content] = []
        self._inbox: deque[Input] = deque()
        self._ear = Ear()
        self._typed: list[types.Part] = []
        self._open: dict[str, None] = {}
        self._withdrawn: set[str] = set()
        self._steps: Iterator[Step] = iter(())
        self._next: Step | None = None
        self._draft = Draft()

    def remember(self, contents: Sequence[types.Content]) -> None:
        """Take over what was said before this dialogue began."""
        self._contents.extend(contents)

    def replayed(self) -> None:
        """Answer the end of what was said before, if it needs one."""
        self._inbox.append(Replayed())

    def type(self, parts: Sequence[types.Part], *, complete: bool = True) -> None:
        """Add a message, or the beginning of one."""
        self._typed.extend(parts)
        if complete:
            self._inbox.append(Typed(types.Content(role="user", parts=self._typed)))
            self._typed = []

    def hear(self, sound: bytes) -> None:
        """Add a piece of what the user says."""
        if self._ear.hear(sound):
            self.speech_began()

    def speech_began(self) -> None:
        """Stop talking."""
        self._inbox.append(SpeechBegan())

    def speech_ended(self) -> None:
        """Answer what was said, if anything was."""
        if text := self._ear.finish():
            self._inbox.append(Spoken(text))

    def respond(self, responses: Sequence[types.FunctionResponse]) -> None:
        """Add results, in any order and number."""
        self._inbox.extend(map(Responded, responses))

    def interrupts(self) -> bool:
        """Return whether the user has something to say that the model stops talking for."""
        return any(not isinstance(waiting, Responded) for waiting in self._inbox)

    def interrupt(self) -> None:
        """Leave the turn that is being played."""
        self._play(iter((interruption(),)))

    def advance(self) -> Step | None:
        """Take the next step; None if there is nothing to do before something is put in."""
        while self._next is None and self._inbox:
            self._take(self._inbox.popleft())
        if self._can_stop() and self.interrupts():
            self.interrupt()
        step = self._next
        if isinstance(step, Burst):
            self._record(step)
        self._next = next(self._steps, None)
        if self._next is None and (said := self._draft.finish()) is not None:
            self._contents.append(said)
        return step

    def _can_stop(self) -> bool:
        if isinstance(self._next, Burst):
            return self._next.interruptible
        return self._next is not None

    def _take(self, waiting: Input) -> None:
        match waiting:
            case Replayed():
                self._play(self._turn(again=True))
            case Typed(content):
                self._contents.append(content)
                self._play(self._turn())
            case Spoken(text):
                self._contents.append(types.Content(role="user", parts=[types.Part(text=text)]))
                self._play(chain(transcript(text, self.config), self._turn()))
            case Responded(response):
                self._play(self._answer(response))
            case SpeechBegan():
                return

    def _play(self, steps: Iterator[Step]) -> None:
        self._steps = steps
        self._next = next(steps, None)

    def _answer(self, response: types.FunctionResponse) -> Iterator[Step]:
        if response.id in self._withdrawn:
            return iter(())
        part = types.Part(function_response=response)
        self._contents.append(types.Content(role="user", parts=[part]))
        if not response.will_continue:
            self._open.pop(response.id or "", None)
        silent = response.scheduling == types.FunctionResponseScheduling.SILENT
        return iter(()) if silent else self._turn()

    def _turn(self, *, again: bool = False) -> Iterator[Step]:
        context: Context = replace(self.config.context, contents=tuple(self._contents))
        if not context.due():
            return iter(())
        turn = self._script.next_turn(context)
        if again:
            # What broke the link once would break it at every new attempt.
            breaks = Drop | Fail | GoAway | Interrupt
            turn = [action for action in turn if not isinstance(action, breaks)]
        return LiveTurn(turn, context, self.config, self._open.keys()).steps()

    def _record(self, burst: Burst) -> None:
        if burst.part is not None:
            self._draft.add(burst.part)
        for message in burst.messages:
            if message.tool_call is not None:
                for call in message.tool_call.function_calls or []:
                    self._open[call.id or ""] = None
                    self._draft.add(types.Part(function_call=call))
            if message.tool_call_cancellation is not None:
                self._withdrawn.update(self._open)
                self._open.clear()
