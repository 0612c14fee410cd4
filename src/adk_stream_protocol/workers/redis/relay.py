"""The relay over Redis: leases as keys that expire, turns as streams, talk by publish/subscribe.

Everything here may be lost without harm. While Redis is away running turns go on, resuming is
refused, and a chat is kept to one turn by each worker for itself. A call takes four seconds at
most, also if Redis hangs.
"""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from redis.asyncio import Redis

from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.workers.messages import Message, Reply, Request
from adk_stream_protocol.workers.redis.away import AWAY
from adk_stream_protocol.workers.redis.leases import HeldKeys
from adk_stream_protocol.workers.redis.messaging import Messenger
from adk_stream_protocol.workers.redis.retry import OnceMore
from adk_stream_protocol.workers.redis.turn_logs import UNREADABLE, Logs
from adk_stream_protocol.workers.relay import Followed, Lease, Peer, Source

logger = logging.getLogger(__name__)

LISTEN_SECONDS = 2.0
CLOSE_SECONDS = 0.5


class RedisRelay:
    """One worker's end, for one `mount`. `url` as redis-py takes it; `name` begins every key.

    A worker that dies holds its chats for `lease_seconds` more, unless another one on the same
    host sees that it is dead.
    """

    def __init__(self, url: str, name: str = "adk-stream", lease_seconds: float = 15.0) -> None:
        # redis-py's own types do not say whether bytes or text come back.
        self._redis: Any = Redis.from_url(
            url, socket_connect_timeout=1, socket_timeout=2, retry=OnceMore()
        )
        self._name = name
        self._beat_seconds = lease_seconds / 4
        self._keys = HeldKeys(self._redis, int(lease_seconds * 1000))
        self._token = token_hex(8)
        self._peer: Peer | None = None
        self._messenger: Messenger | None = None
        self._logs = Logs(self._redis, self._is_gone)
        self._hidden: set[str] = set()
        """Logs of turns that are over, while their ends are being written."""
        self._tasks = BackgroundTasks()
        self._writes = BackgroundTasks()
        """Leases that are being released and turns that are being published."""

    def join(self, peer: Peer) -> None:
        assert self._peer is None, "a relay is for one mount"
        self._peer = peer
        self._name = f"{self._name}:{quote(peer.app, safe='')}"

    async def listen(self) -> None:
        if self._messenger is None:
            assert self._peer is not None
            channel = f"{self._name}:messages"
            self._messenger = Messenger(
                self._redis, channel, self._worker, self._peer.handle, self._keys.keep
            )
            self._tasks.spawn(self._messenger.listen())
            self._tasks.spawn(self._beat())
            with suppress(TimeoutError):
                async with asyncio.timeout(LISTEN_SECONDS):
                    await self._messenger.is_open.wait()

    async def close(self) -> None:
        await self._writes.done(CLOSE_SECONDS)
        self._writes.cancel()
        await self._writes.done(CLOSE_SECONDS)
        self._tasks.cancel()
        await self._tasks.done()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._keys.drop_all()
        await self._redis.aclose(close_connection_pool=True)

    async def claim(self, chat: ChatId) -> Lease | None:
        lease, key = Lease(chat), self._key("run", chat)
        try:
            holder = await self._claim(key, self._value(lease.id))
        except asyncio.CancelledError:  # it may have been granted, or may be yet
            self.release(lease)
            raise
        except AWAY:
            logger.warning("Redis is away: chats are kept apart within this worker only")
            lease, holder = Lease(chat, granted=False), None
        if holder:
            return None
        self._keys.hold(key, self._value(lease.id))
        return lease

    async def _claim(self, key: str, value: str) -> str | None:
        dead = ""
        for _ in range(2):
            holder = await self._keys.claim(key, value, dead)
            if holder is None or not self._is_gone(holder):
                return holder
            dead = holder
        return dead

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Task[None]:
        values = {self._key("run", lease.chat): self._value(lease.id)}
        if log:
            self._hidden.add(log)
            values[self._key("turn", lease.chat)] = log
        return self._writes.begin(self._keys.drop(values))

    def new_log(self) -> str:
        return self._value(token_hex(12))

    def publish(self, source: Source) -> asyncio.Task[None]:
        return self._writes.begin(self._publish(source))

    async def _publish(self, source: Source) -> None:
        log, key = source.log, self._key("turn", source.chat_id)

        async def hold() -> None:
            if log not in self._hidden:
                await self._keys.show(key, log)

        try:
            await self._logs.write(self._stream(log), source, hold)
        finally:
            self._hidden.discard(log)
            await self._keys.forget(key, log)

    async def follow(self, chat: ChatId, log: str | None = None) -> Followed | None:
        key = self._key("turn", chat)
        try:
            running = log or await self._keys.read(key)
        except AWAY as error:
            raise Unavailable(UNREADABLE) from error
        is_own = not log and running.rpartition("/")[0] == self._worker
        if not running or is_own or self._is_gone(running):
            return None
        stream = self._stream(running)
        opened = await self._logs.open(stream, wait=log is not None)
        if opened is None:
            return None
        earlier, at = opened
        return self._logs.read(key, running, stream, at), earlier

    async def broadcast(self, message: Message) -> None:
        await self.listen()
        assert self._messenger
        await self._messenger.broadcast(message)

    async def request(self, message: Request) -> Reply | None:
        await self.listen()
        assert self._messenger
        try:
            found = await self._keys.read(self._key("run", message.chat))
        except AWAY as error:
            raise Unavailable("Other workers cannot be reached at the moment.") from error
        holder = found.rpartition("/")[0] if found else self._worker
        is_gone = partial(self._is_gone, f"{holder}/")
        if holder == self._worker or is_gone():
            return None
        return await self._messenger.request(holder, message, is_gone)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            await self._keys.keep()

    def _is_gone(self, value: str) -> bool:
        """Return whether the process that a value names is dead."""
        return self._peer is not None and self._peer.is_gone(value.rsplit("/", 2)[0])

    def _key(self, kind: str, chat: ChatId) -> str:
        return f"{self._name}:{kind}:{quote(chat.user, safe='')}:{quote(chat.chat, safe='')}"

    def _stream(self, log: str) -> str:
        return f"{self._name}:log:{log.rpartition('/')[2]}"

    @property
    def _worker(self) -> str:
        return f"{self._peer.process if self._peer else ''}/{self._token}"

    def _value(self, name: str) -> str:
        return f"{self._worker}/{name}"
