"""One socket of a client's, written down as its messages pass."""

import base64
from secrets import token_hex
from typing import Any, cast

import msgspec
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.tapes.tape import Down, Opened, Up

_OF_NO_CHAT = ("ping",)
_ENDINGS = ('"type":"end"', '"type":"error"', "[DONE]")


class SocketTap:
    """Lives as long as the socket. Which chat it is for, its first messages say."""

    def __init__(self, recorder: Recorder, scope: Scope, receive: Receive, send: Send) -> None:
        self._recorder = recorder
        self._scope = scope
        self._receive = receive
        self._send = send
        self._number = recorder.number()
        self._query = dict(HTTPConnection(scope).query_params)
        self._recorded: bool | None = None

    async def run(self, app: ASGIApp) -> None:
        """Serve the socket."""
        try:
            await app(self._scope, self._from_client, self._to_client)
        finally:
            self._recorder.ends(self._number)
            if self._recorded:
                self._recorder.keep()

    async def _from_client(self) -> Message:
        message = await self._receive()
        if message["type"] == "websocket.receive":
            frame = _frame(message)
            if frame is not None and frame["type"] not in _OF_NO_CHAT:
                self._up(frame)
        return message

    def _up(self, frame: Json) -> None:
        if self._recorded is None:
            self._recorded = self._recorder.is_recorded("the socket", self._chat(frame))
            self._recorder.begins(self._number, recorded=self._recorded)
            if self._recorded:
                self._recorder.add(Opened(self._number, self._scope["path"], self._query))
        if self._recorded:
            self._recorder.add(Up(self._number, frame))

    def _chat(self, frame: Json) -> str:
        data = frame.get("data")
        inner: Json = cast(Json, data) if isinstance(data, dict) else {}
        named = [part.get(key) for part in (frame, inner) for key in ("chatId", "id")]
        return next((str(name) for name in named if name), self._query.get("chatId", token_hex(4)))

    async def _to_client(self, message: Message) -> None:
        if message["type"] == "websocket.send" and self._recorded:
            self._recorder.add(Down(self._number, message["text"]))
            if any(ending in message["text"] for ending in _ENDINGS):
                self._recorder.keep()
        await self._send(message)


def _frame(message: Message) -> Json | None:
    raw: bytes | None = message.get("bytes")
    try:
        frame: Any = msgspec.json.decode(message.get("text") or raw or b"")
    except msgspec.DecodeError:
        # In the older dialect what is not text is speech.
        return {"type": "audio", "audio": base64.b64encode(raw).decode()} if raw else None
    return cast(Json, frame) if isinstance(frame, dict) and "type" in frame else None
