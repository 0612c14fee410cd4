"""A relay between workers that live in one process: what Redis does, without Redis."""

import asyncio
from collections.abc import AsyncIterator
from secrets import token_hex

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.workers.messages import Message, Reply, Request
from adk_stream_protocol.workers.relay import Followed, Lease, LocalRelay, Peer, Source


class Switchboard:
    """Who holds which chat, and the turns that are published."""

    def __init__(self) -> None:
        self.workers: list[Line] = []
        self.holders: dict[ChatId, Line] = {}
        self.turns: dict[str, Source] = {}
        self.is_away = False
        """Nobody can be found at the moment."""

    def line(self) -> "Line":
        """A relay for one more worker."""
        line = Line(self)
        self.workers.append(line)
        return line


class Line(LocalRelay):
    """The relay of one worker."""

    def __init__(self, board: Switchboard) -> None:
        self._board = board
        self.peer: Peer | None = None
        self.asked: list[Request] = []
        self.heard: list[Message] = []

    def join(self, peer: Peer) -> None:
        self.peer = peer

    async def claim(self, chat: ChatId) -> Lease | None:
        return Lease(chat) if self._board.holders.setdefault(chat, self) is self else None

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Future[None] | None:
        self._board.holders.pop(lease.chat, None)
        self._board.turns.pop(log or "", None)
        return None

    def new_log(self) -> str:
        return token_hex(4)

    def publish(self, source: Source) -> None:
        self._board.turns[source.log] = source

    async def follow(self, chat: ChatId, log: str | None = None) -> Followed | None:
        turns = self._board.turns
        running = [one for one in turns.values() if one.chat_id == chat and not one.ended]
        found = turns.get(log) if log else next(iter(running), None)
        return (_batches(found), found.message_prefix()) if found else None

    async def broadcast(self, message: Message) -> None:
        for worker in self._board.workers:
            if worker is not self and worker.peer:
                worker.heard.append(message)
                await worker.peer.handle(message)

    async def request(self, message: Request) -> Reply | None:
        if self._board.is_away:
            raise Unavailable("The relay is away.")
        holder = self._board.holders.get(message.chat)
        if holder is None or holder is self or holder.peer is None:
            return None
        self.asked.append(message)
        return await holder.peer.handle(message)


async def _batches(source: Source) -> AsyncIterator[list[AnyChunk]]:
    reader = source.reader()
    try:
        while (batch := await reader.next(60)) is not None:
            yield batch
    finally:
        reader.close()
