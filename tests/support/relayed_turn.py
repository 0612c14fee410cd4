"""A turn whose chunks the test lets out one by one, and a worker to publish it."""

import asyncio
from collections.abc import Awaitable, Callable, Container
from typing import Any, TypeVar

import msgspec

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.workers.messages import Message, Reply
from adk_stream_protocol.workers.redis.relay import RedisRelay
from adk_stream_protocol.workers.relay import Handle, Peer

T = TypeVar("T")

CHAT = ChatId("app", "al:ice", "c/1")
BEFORE: list[AnyChunk] = [TextDelta(id="9", delta="x")]


async def nothing(message: Message) -> Reply | None:
    return None


def relay_of(
    url: str,
    handle: Handle = nothing,
    *,
    process: str = "one",
    dead: Container[str] = (),
    lease_seconds: float = 15,
    app: str = "app",
) -> RedisRelay:
    """A worker that knows which processes are dead."""
    relay = RedisRelay(url, lease_seconds=lease_seconds)
    relay.join(Peer(app, process, handle, lambda name: name in dead))
    return relay


class Source:
    """As a running turn."""

    def __init__(self, *texts: str, log: str) -> None:
        self.chat_id = CHAT
        self.log = log
        self.ended = False
        self.whole = True
        self.chunks: list[AnyChunk] = []
        self.message_prefix: Callable[[], list[AnyChunk]] = lambda: BEFORE
        self._changed = asyncio.Condition()
        self.chunks += deltas(*texts)

    async def put(self, *texts: str) -> None:
        async with self._changed:
            self.chunks += deltas(*texts)
            self._changed.notify_all()

    async def end(self) -> None:
        async with self._changed:
            self.ended = True
            self._changed.notify_all()

    def reader(self) -> "SourceReader":
        return SourceReader(self)

    async def more(self, position: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.ended or len(self.chunks) > position)


class SourceReader:
    """As a reader of a running turn."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._position = 0

    async def next(self, idle_seconds: float) -> list[AnyChunk] | None:
        await self._source.more(self._position)
        batch = self._source.chunks[self._position :]
        self._position += len(batch)
        return batch or None

    @property
    def is_done(self) -> bool:
        return self._source.whole

    def close(self) -> None:
        return None


def deltas(*texts: str) -> list[AnyChunk]:
    return [TextDelta(id="0", delta=text) for text in texts]


def raw(*texts: str) -> list[msgspec.Raw]:
    return [msgspec.Raw(encode_json(chunk)) for chunk in deltas(*texts)]


async def found(look: Callable[[], Awaitable[T | None]]) -> T:
    """Look until something is there."""
    async with asyncio.timeout(60):
        while True:
            if (thing := await look()) is not None:
                return thing
            await asyncio.sleep(0.02)


async def within(waiting: Any, seconds: float = 60) -> Any:
    async with asyncio.timeout(seconds):
        return await waiting
