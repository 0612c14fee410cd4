"""Plays a scenario over the live socket, in the older envelopes: an event stream's text comes back.

A turn's `client` is the whole envelope. Nothing but their order tells turns apart, so a turn that
the server begins is read like any other.
"""

from itertools import count
from typing import Protocol

import msgspec

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import READING, SocketTurn
from adk_stream_protocol.recording.stand_in.play import Play

DONE = "[DONE]"


class TextSocket(Protocol):
    """The client's end of a socket."""

    async def send(self, frame: Json) -> None: ...

    async def receive_text(self) -> str: ...


class EnvelopeChat:
    """One chat on one socket."""

    def __init__(self, socket: TextSocket, play: Play) -> None:
        self._socket = socket
        self._play = play
        self._numbers = count(1)

    async def play(self, turn: SocketTurn) -> list[Json]:
        """Do what the client does, and read the turn that follows to its end."""
        number = next(self._numbers)
        for name in turn.signals:
            self._play.signal(name)
        for frame in turn.frames:
            await self._socket.send(frame)
        if turn.client is not None:
            await self._socket.send(self._play.names.fill(turn.client))
        else:
            self._play.signal(READING)
            self._play.signal(f"{READING}-{number}")
        for frame in turn.then:
            await self._socket.send(frame)
        return await self._chunks(turn)

    async def _chunks(self, turn: SocketTurn) -> list[Json]:
        chunks: list[Json] = []
        while True:
            if len(chunks) == turn.abort_after:
                await self._socket.send({"type": "interrupt", "version": "1.0"})
            event = await self._event()
            if event == DONE:
                return chunks
            chunks.append(msgspec.json.decode(event))

    async def _event(self) -> str:
        text = await self._socket.receive_text()
        assert text.startswith("data: ") and text.endswith("\n\n"), text
        return text[len("data: ") : -2]
