"""Plays a scenario over the live socket, in the AI SDK's frames."""

from itertools import count
from typing import Protocol

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import READING, SocketTurn
from adk_stream_protocol.recording.stand_in.play import Play


class Socket(Protocol):
    """The client's end of a socket."""

    async def send(self, frame: Json) -> None: ...

    async def receive(self) -> Json: ...


class SocketChat:
    """One chat on one socket, in the AI SDK's frames."""

    def __init__(self, socket: Socket, play: Play, chat_id: str = "chat") -> None:
        self._socket = socket
        self._play = play
        self._id = chat_id
        self._numbers = count(1)

    async def play(self, turn: SocketTurn) -> list[Json]:
        """Do what the client does, and read the turn that follows to its end."""
        for name in turn.signals:
            self._play.signal(name)
        for frame in turn.frames:
            await self._socket.send({"id": self._id, **frame})
        number = next(self._numbers)
        request_id = f"r{number}"
        if turn.client is not None:
            body = self._play.names.fill(turn.client)
            await self._send("send", request_id, body)
        else:
            await self._resume(request_id)
            self._play.signal(READING)
            self._play.signal(f"{READING}-{number}")
        for frame in turn.then:
            await self._socket.send({"id": self._id, **frame})
        return await self._chunks(request_id, turn)

    async def _resume(self, request_id: str) -> None:
        notice = await self._socket.receive()
        assert notice == {"type": "turn", "requestId": "server", "id": self._id}, notice
        await self._send("resume", request_id)
        started = await self._socket.receive()
        assert started == {"type": "start", "requestId": request_id}, started

    async def _send(self, kind: str, request_id: str, body: Json | None = None) -> None:
        head = {"type": kind, "requestId": request_id, "id": self._id}
        await self._socket.send(head | (body or {}))

    async def _chunks(self, request_id: str, turn: SocketTurn) -> list[Json]:
        chunks: list[Json] = []
        while True:
            if len(chunks) == turn.abort_after:
                await self._send("abort", request_id)
            frame = await self._socket.receive()
            if frame == {"type": "end", "requestId": request_id}:
                return chunks
            if turn.refusal is not None:
                self._check_refusal(request_id, turn.refusal, frame)
                return chunks
            expected = {"type": "chunk", "requestId": request_id, "sequence": len(chunks)}
            assert frame == expected | {"chunk": frame.get("chunk")}, frame
            chunks.append(frame["chunk"])

    def _check_refusal(self, request_id: str, refusal: str, frame: Json) -> None:
        expected = {"type": "error", "requestId": request_id, "errorText": refusal}
        found = self._play.names.differences(expected, frame, "answer")
        assert not found, "\n".join(found)
