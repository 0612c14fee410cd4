"""A model turn in live mode, as the Live API sends it: messages, silences, a failure to raise."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import uuid4

from google.genai import errors, types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.speech import tone
from adk_stream_protocol.testing.playback import failure, png, token_counts
from adk_stream_protocol.testing.script.actions import (
    Action,
    Call,
    Drop,
    Fail,
    GoAway,
    Hang,
    Hold,
    Image,
    Interrupt,
    Pause,
    Release,
    Say,
    Think,
    Turn,
    Withdraw,
    deltas,
)


@dataclass(frozen=True)
class Burst:
    """Messages that are sent together, and what the model remembers of them.

    Calls and the end of a turn are sent even if the user has begun to say something else.
    """

    messages: tuple[types.LiveServerMessage, ...]
    part: types.Part | None = None
    interruptible: bool = True


Step = Burst | Pause | Exception


class LiveTurn:
    """One turn: what to do, in order."""

    def __init__(
        self, turn: Turn, context: Context, config: LiveConfig, open_calls: Collection[str]
    ) -> None:
        self._turn = turn
        self._context = context
        self._config = config
        self._open_calls = open_calls
        self._asked: list[types.FunctionCall] = []

    def steps(self) -> Iterator[Step]:
        """Yield the steps; which calls are open is looked up when it matters."""
        for action in self._turn:
            match action:
                case Interrupt():
                    yield interruption()
                    return
                case Fail(code):
                    yield self._failed(failure(code))
                    return
                case Call():
                    yield from self._ask()
                case _:
                    yield from self._step(action)
        yield self._end()

    def _step(self, action: Action) -> Iterator[Step]:
        match action:
            case Say(pieces):
                yield from map(self._said, pieces)
            case Think(pieces):
                yield from (_shown(types.Part(text=piece, thought=True)) for piece in pieces)
            case Image():
                blob = types.Blob(mime_type="image/png", data=png())
                yield _shown(types.Part(inline_data=blob))
            case Hang() | Hold() | Release():
                yield action
            case Drop():
                yield link_lost()
            case GoAway():
                away = types.LiveServerGoAway(time_left="0s")
                yield Burst((types.LiveServerMessage(go_away=away),))
            case Withdraw() if self._open_calls:
                yield self._withdrawn()
            case _:
                return

    def _said(self, piece: str) -> Burst:
        part = types.Part(text=piece)
        if not self._config.speaks:
            return _shown(part)
        sound = types.Content(role="model", parts=[types.Part(inline_data=tone())])
        messages = [_content(model_turn=sound)]
        if self._config.transcribes_output:
            messages.append(_content(output_transcription=types.Transcription(text=piece)))
        return Burst(tuple(messages), part)

    def _ask(self) -> Iterator[Burst]:
        if self._asked:
            return
        calls = self._together()
        self._asked = [types.FunctionCall(id=_id(), name=c.name, args=c.args) for c in calls]
        if self._config.calls_at_once:
            messages = _content(generation_complete=True), self._tool_call()
            yield Burst(messages, interruptible=False)

    def _tool_call(self) -> types.LiveServerMessage:
        tool_call = types.LiveServerToolCall(function_calls=self._asked)
        return types.LiveServerMessage(tool_call=tool_call)

    def _together(self) -> Iterator[Call]:
        for call in (action for action in self._turn if isinstance(action, Call)):
            yield call
            if self._config.waits_for(call.name):
                return

    def _withdrawn(self) -> Burst:
        ids = types.LiveServerToolCallCancellation(ids=list(self._open_calls))
        return Burst((types.LiveServerMessage(tool_call_cancellation=ids),))

    def _failed(self, fault: types.FinishReason | Exception) -> Step:
        if isinstance(fault, Exception):
            return fault
        known = types.TurnCompleteReason.__members__
        reason = known.get(fault.name, types.TurnCompleteReason.RESPONSE_REJECTED)
        message = _content(turn_complete=True, turn_complete_reason=reason)
        return Burst((message,), interruptible=False)

    def _end(self) -> Burst:
        messages = [_content(generation_complete=True)]
        if self._asked and not self._config.calls_at_once:
            messages.append(self._tool_call())
        if not any(call.id in self._open_calls for call in self._asked):
            ended = _content(turn_complete=True)
            ended.usage_metadata = self._usage()
            messages.append(ended)
        return Burst(tuple(messages), interruptible=False)

    def _usage(self) -> types.UsageMetadata:
        prompt, answer, thought = token_counts(self._turn, self._context)
        return types.UsageMetadata(
            prompt_token_count=prompt,
            response_token_count=answer,
            thoughts_token_count=thought or None,
            total_token_count=prompt + answer + thought,
        )


def interruption() -> Burst:
    """Make the end of a turn that the user cut short."""
    messages = _content(interrupted=True), _content(turn_complete=True)
    return Burst(messages, interruptible=False)


def transcript(text: str, config: LiveConfig) -> Iterator[Burst]:
    """Write down what the user said."""
    if not config.transcribes_input:
        return
    # Gemini 3.x transcribes an utterance as a whole.
    pieces = (text,) if config.calls_at_once else deltas(text)
    for number, piece in enumerate(pieces, start=1):
        finished = True if number == len(pieces) else None
        written = types.Transcription(text=piece, finished=finished)
        yield Burst((_content(input_transcription=written),))


def link_lost() -> errors.APIError:
    """Make the error that google-genai raises for a socket that closes without a word."""
    return errors.APIError(1006, "connection closed abnormally [internal]")


def _shown(part: types.Part) -> Burst:
    return Burst((_content(model_turn=types.Content(role="model", parts=[part])),), part)


def _content(
    *,
    model_turn: types.Content | None = None,
    turn_complete: bool | None = None,
    turn_complete_reason: types.TurnCompleteReason | None = None,
    generation_complete: bool | None = None,
    interrupted: bool | None = None,
    input_transcription: types.Transcription | None = None,
    output_transcription: types.Transcription | None = None,
) -> types.LiveServerMessage:
    return types.LiveServerMessage(
        server_content=types.LiveServerContent(
            model_turn=model_turn,
            turn_complete=turn_complete,
            turn_complete_reason=turn_complete_reason,
            generation_complete=generation_complete,
            interrupted=interrupted,
            input_transcription=input_transcription,
            output_transcription=output_transcription,
        )
    )


def _id() -> str:
    # Unique over connections, because approvals and histories are kept by it.
    return f"function-call-{uuid4().int >> 64}"
