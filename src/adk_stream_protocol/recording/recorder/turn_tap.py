"""One POST of a client's and its answer, written down as they pass."""

from collections.abc import Iterator
from secrets import token_hex
from typing import Any, cast

import msgspec
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.tapes.tape import Chunk, Ended, Posted, Refused

_DONE = b"[DONE]"


class TurnTap:
    """Lives as long as the request."""

    def __init__(self, recorder: Recorder, scope: Scope, receive: Receive, send: Send) -> None:
        self._recorder = recorder
        self._scope = scope
        self._receive = receive
        self._send = send
        self._number = recorder.number()
        self._recorded = False
        self._body = b""
        self._status = 0
        self._answer = b""
        self._events = SseReader()
        self._done = False

    async def run(self, app: ASGIApp) -> None:
        """Serve the request."""
        # An answer that is packed cannot be read here.
        headers = [pair for pair in self._scope["headers"] if pair[0] != b"accept-encoding"]
        try:
            await app({**self._scope, "headers": headers}, self._request, self._respond)
        finally:
            self._recorder.ends(self._number)
            if self._recorded and not self._done:
                self._recorder.end("a turn broke off")

    async def _request(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                self._begin()
        return message

    def _begin(self) -> None:
        body = _object(self._body)
        if body is None:
            return  # it will be refused, and there is no saying what it was
        query = HTTPConnection(self._scope).query_params
        chat = body.get("id") or body.get("chatId") or query.get("chatId") or token_hex(4)
        self._recorded = self._recorder.is_recorded("HTTP", str(chat))
        self._recorder.begins(self._number, recorded=self._recorded)
        if self._recorded:
            style = query.get("approvals", "native")
            self._recorder.add(Posted(self._number, self._scope["path"], style, body))

    async def _respond(self, message: Message) -> None:
        if self._recorded:
            self._read(message)
        await self._send(message)

    def _read(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            return
        piece: bytes = message.get("body", b"")
        if self._status == 200:
            for event in self._events.feed(piece):
                self._take(event)
        else:
            self._answer += piece
            if not message.get("more_body"):
                text = self._answer.decode(errors="replace")
                self._end(Refused(self._number, self._status, text))

    def _take(self, event: bytes) -> None:
        if event == _DONE:
            self._end(Ended(self._number))
        else:
            self._recorder.add(Chunk(self._number, msgspec.json.decode(event)))

    def _end(self, ending: Ended | Refused) -> None:
        self._done = True
        self._recorder.add(ending)
        self._recorder.keep()


class SseReader:
    """Reads server-sent events from the pieces in which they arrive."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Return the data of each event that is complete now."""
        self._rest = (self._rest + piece).replace(b"\r\n", b"\n")
        *events, self._rest = self._rest.split(b"\n\n")
        for event in events:
            lines = [line for line in event.split(b"\n") if line.startswith(b"data:")]
            if lines:
                yield b"\n".join(line[len(b"data:") :].strip() for line in lines)


def _object(content: bytes) -> Json | None:
    try:
        body: Any = msgspec.json.decode(content)
    except msgspec.DecodeError:
        return None
    return cast(Json, body) if isinstance(body, dict) else None
