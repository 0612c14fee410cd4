"""The two ways to talk over a socket: the AI SDK's frames, and the older envelopes.

What a client sends becomes one of a few commands; how a turn is sent back differs per dialect. The
first frame tells which one a socket speaks.
"""

from base64 import b64decode
from dataclasses import dataclass
from typing import Any, Protocol

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.protocol import strict_json
from adk_stream_protocol.protocol.chunks import AnyChunk, Error
from adk_stream_protocol.protocol.messages import ENVELOPES, ChatRequest, check_length, to_request
from adk_stream_protocol.protocol.sse import SSE_DONE, encode_each, encode_value

VERSION = "1.0"
_DONE = SSE_DONE.decode()


@dataclass(frozen=True, slots=True)
class Send:
    """A turn: new content, or answers."""

    request_id: str
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Resume:
    """Read the running turn of a chat from its first chunk."""

    request_id: str
    chat_id: str | None


@dataclass(frozen=True, slots=True)
class Abort:
    """Stop a turn: that of a request, or the one that runs in the chat."""

    request_id: str
    chat_id: str | None


@dataclass(frozen=True, slots=True)
class Ping:
    """A heartbeat of the application's own."""

    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Speech:
    """A piece of the user's voice, 16 kHz PCM; None when it is over."""

    chat_id: str | None
    pcm: bytes | None


Command = Send | Resume | Abort | Ping | Speech


class Reply(Protocol):
    """The way back for one turn."""

    def chunks(self, batch: list[AnyChunk]) -> list[str]:
        """One message per chunk."""
        ...

    def end(self) -> str:
        """The turn is over."""
        ...

    def error(self, text: str) -> list[str]:
        """The request led to no turn."""
        ...


class SdkReply:
    """Chunks in numbered frames, which carry the id of the request."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._head = f'{{"type":"chunk","requestId":{encode_value(request_id)},"sequence":'
        self._sent = 0

    def chunks(self, batch: list[AnyChunk]) -> list[str]:
        first, self._sent = self._sent, self._sent + len(batch)
        head = self._head
        return [
            f'{head}{number},"chunk":{chunk}}}'
            for number, chunk in enumerate(encode_each(batch), first)
        ]

    def end(self) -> str:
        return self._frame("end")

    def error(self, text: str) -> list[str]:
        return [self._frame("error", errorText=text)]

    def start(self) -> str:
        """A turn is running; its chunks follow."""
        return self._frame("start")

    def no_active(self) -> str:
        """There is nothing to resume."""
        return self._frame("no-active")

    def _frame(self, kind: str, **fields: str) -> str:
        return encode_value({"type": kind, "requestId": self._request_id, **fields})


class EnvelopeReply:
    """The text of an event stream."""

    def chunks(self, batch: list[AnyChunk]) -> list[str]:
        return [f"data: {chunk}\n\n" for chunk in encode_each(batch)]

    def end(self) -> str:
        return _DONE

    def error(self, text: str) -> list[str]:
        return [*self.chunks([Error(error_text=text)]), _DONE]

    def start(self) -> str | None:
        """Chunks need no announcement here."""
        return None

    def no_active(self) -> str:
        """There is nothing to resume."""
        return _DONE


class SdkFrames:
    """The frames of `ai` 7's WebSocketChatTransport. A frame it does not know closes its socket."""

    types = frozenset({"send", "resume", "abort", "audio", "audio-end"})

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits

    def reply(self, request_id: str) -> SdkReply:
        return SdkReply(request_id)

    def server_turn(self, chat_id: str) -> str | None:
        """The server began a turn: stock clients ignore frames of requests they did not make."""
        return encode_value({"type": "turn", "requestId": "server", "id": chat_id})

    def read(self, frame: dict[str, Any]) -> Command:
        """What a frame asks for."""
        request_id, chat_id = _text(frame, "requestId") or "", _text(frame, "id")
        check_length(request_id, self._limits.request_id, "$.requestId")
        match frame["type"]:
            case "send":
                if not request_id:
                    raise BadRequest("$.requestId: missing")
                return Send(request_id, to_request(frame, self._limits))
            case "resume":
                return Resume(request_id, chat_id)
            case "abort":
                return Abort(request_id, chat_id)
            case "audio":
                return Speech(chat_id, _pcm(frame.get("audio"), "$.audio"))
            case _:
                return Speech(chat_id, None)


class Envelopes:
    """`{type, version, data}` up, the text of an event stream down. Every turn is shown."""

    types = ENVELOPES | {"interrupt", "stop", "abort", "ping", "resume", "audio", "audio-end"}

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits

    def reply(self, request_id: str) -> EnvelopeReply:
        return EnvelopeReply()

    def server_turn(self, chat_id: str) -> str | None:
        """Turns that the server begins are sent like all others."""
        return None

    def read(self, frame: dict[str, Any]) -> Command:
        """What an envelope asks for."""
        if frame.get("version", VERSION) != VERSION:
            raise BadRequest(f"$.version: {VERSION} is expected")
        data = frame.get("data")
        body: dict[str, Any] = frame | data if isinstance(data, dict) else frame
        match frame["type"]:
            case "ping":
                return Ping({"type": "pong", "version": VERSION} | self._echo(frame))
            case "interrupt" | "stop" | "abort":
                return Abort("", _chat_id(body))
            case "resume":
                return Resume("", _chat_id(body))
            case "audio":
                return Speech(_chat_id(body), _pcm(body.get("audio"), "$.data.audio"))
            case "audio-end":
                return Speech(_chat_id(body), None)
            case _:
                return Send("", to_request(frame, self._limits))

    def _echo(self, frame: dict[str, Any]) -> dict[str, Any]:
        echo = {name: frame[name] for name in ("timestamp", "data") if name in frame}
        if len(encode_value(echo)) > self._limits.echo:
            raise BadRequest(f"$.data: at most {self._limits.echo} characters are sent back")
        return echo


def parse_frame(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> dict[str, Any]:
    """Parse a frame strictly, or raise BadRequest with the path of the fault."""
    frame = strict_json.loads(raw, limits)
    if not isinstance(frame, dict):
        raise BadRequest("$: an object is expected")
    if not isinstance(frame.get("type"), str):
        raise BadRequest("$.type: missing")
    return frame


def request_id_of(frame: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the request that an answer to this frame belongs to, however faulty the rest is."""
    request_id = frame.get("requestId")
    if isinstance(request_id, str) and len(request_id) <= limits.request_id:
        return request_id
    return ""


def dialect_of(frame: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> SdkFrames | Envelopes:
    """Tell the dialect of a socket from its first frame."""
    for dialect in (SdkFrames, Envelopes):
        if frame["type"] in dialect.types and ("requestId" in frame or dialect is Envelopes):
            return dialect(limits)
    raise unknown_type(frame)


def unknown_type(frame: dict[str, Any]) -> BadRequest:
    """A frame of a type that its dialect does not have."""
    return BadRequest(f"$.type: {frame['type'][:64]!r} is not a known type")


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    if value is None or isinstance(value, str):
        return value
    raise BadRequest(f"$.{name}: a string is expected")


def _chat_id(body: dict[str, Any]) -> str | None:
    return _text(body, "chatId") or _text(body, "id")


def _pcm(value: object, path: str) -> bytes:
    try:
        return b64decode(value if isinstance(value, str) else "?", validate=True)
    except ValueError:  # binascii.Error is one; letters beyond ASCII are another
        raise BadRequest(f"{path}: base64 is expected") from None
