"""The relay over Redis: leases as keys that expire, turns as streams, talk by publish/subscribe.

Everything here may be lost without harm. While Redis is away running turns go on, resuming is
refused, and a chat is kept to one turn by each worker for itself.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any, cast
from urllib.parse import quote

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk, Error
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.replay.jobs import Jobs
from adk_stream_protocol.replay.relay import Answer, Chat, Earlier, Followed, Heard, Lease

logger = logging.getLogger(__name__)

LEASE_MS = 15_000
BEAT_SECONDS = 4.0
LOG_SECONDS = 3_600
ENDED_SECONDS = 60
MAX_PIECES = 20_000
BLOCK_MS = 1_000
ANSWER_SECONDS = 5.0

_KEEP = """
local held = redis.call('GET', KEYS[1])
if not held or held == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
"""
_DROP = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"


class _Broken(Exception):
    """A log with a gap, or one that nobody writes any more."""


class RedisRelay:
    """One worker's end. `url` as redis-py takes it; `name` keeps applications apart."""

    def __init__(self, url: str, name: str = "adk-stream") -> None:
        # redis-py's own types do not say whether bytes or text come back.
        self._redis: Any = Redis.from_url(url, socket_connect_timeout=2, health_check_interval=15)
        self._name = name
        self._worker = token_hex(8)
        self._held: dict[str, str] = {}
        """Keys that this worker keeps alive, with what they hold."""
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._heard: Heard | None = None
        self._jobs = Jobs()

    async def listen(self, heard: Heard) -> None:
        if self._heard is None:
            self._heard = heard
            self._jobs.spawn(self._beat())
            self._jobs.spawn(self._hear())

    async def close(self) -> None:
        self._jobs.cancel()
        await self._jobs.done()
        for key, value in list(self._held.items()):
            await self._drop(key, value)
        await self._redis.aclose(close_connection_pool=True)

    async def claim(self, chat: Chat) -> Lease | None:
        lease, key = Lease(chat), self._key("run", chat)
        try:
            taken = await self._redis.set(key, self._value(lease), nx=True, px=LEASE_MS)
        except RedisError:
            logger.warning("Redis is away: chats are kept apart within this worker only")
            return Lease(chat, "")
        if not taken:
            return None
        self._held[key] = self._value(lease)
        return lease

    async def release(self, lease: Lease) -> None:
        key = self._key("run", lease.chat)
        if self._held.get(key) == self._value(lease):
            await self._drop(key, self._value(lease))

    async def publish(
        self, chat: Chat, batches: AsyncIterator[list[AnyChunk]], earlier: Earlier
    ) -> None:
        key, log = self._key("turn", chat), f"{self._name}:log:{token_hex(12)}"
        count = 0
        try:
            async for batch in batches:
                if not count:  # only now is it known what came before
                    await self._append(log, 0, _lines(earlier()))
                    await self._redis.set(key, log, px=LEASE_MS)
                    self._held[key] = log
                if batch:
                    await self._append(log, count, _lines(batch))
                    count += len(batch)
            await self._redis.xadd(log, {"end": count})
            await self._redis.expire(log, ENDED_SECONDS)
        except RedisError:
            logger.warning("Redis is away: a turn cannot be resumed on another worker")
        finally:
            await self._drop(key, log)

    async def _append(self, log: str, first: int, piece: bytes) -> None:
        pipe = self._redis.pipeline(transaction=False)
        pipe.xadd(log, {"at": first, "piece": piece}, maxlen=MAX_PIECES, approximate=True)
        pipe.expire(log, LOG_SECONDS)
        await pipe.execute()

    async def follow(self, chat: Chat, patience: float = 0.0) -> Followed | None:
        key = self._key("turn", chat)
        try:
            log = await self._appear(key, patience)
            first = await self._redis.xrange(log, count=2) if log else []
        except RedisError as error:
            raise Unavailable("This answer cannot be resumed at the moment.") from error
        # A log whose beginning was cut off or lost is nothing to replay.
        if not log or not first or any(int(entry.get(b"at", 0)) for _, entry in first):
            return None
        number, entry = first[0]
        return self._read(key, log, number), _chunks(entry[b"piece"])

    async def _appear(self, key: str, patience: float) -> str | None:
        until = asyncio.get_running_loop().time() + patience
        while True:
            if log := await self._redis.get(key):
                return log.decode()
            if asyncio.get_running_loop().time() >= until:
                return None
            await asyncio.sleep(0.02)

    async def _read(self, key: str, log: str, last: bytes) -> AsyncIterator[list[AnyChunk]]:
        expected, at = 0, last
        try:
            while True:
                found = await self._redis.xread({log: at}, block=BLOCK_MS, count=500)
                for number, entry in found[0][1] if found else ():
                    at = number
                    if int(entry.get(b"end", entry.get(b"at"))) != expected:
                        raise _Broken
                    if b"end" in entry:
                        return
                    batch = _chunks(entry[b"piece"])
                    expected += len(batch)
                    yield batch
                if not found and await self._redis.get(key) != log.encode():
                    raise _Broken
        except _Broken:
            logger.warning("the log of a turn on another worker ended before the turn")
        except RedisError:
            logger.warning("Redis went away while a turn was followed")
        yield [Error(error_text="The connection to this answer was lost. (link-lost)")]

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        await self._send({"kind": kind, "body": body})

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        try:
            holder = await self._redis.get(self._key("run", chat))
        except RedisError:
            return None
        if not holder:
            return None
        number = token_hex(8)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            to = holder.decode().partition(":")[0]
            await self._send({"kind": kind, "body": body, "to": to, "ask": number})
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._asked[number]

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            await self._redis.publish(
                f"{self._name}:talk", json.dumps({"from": self._worker, **message})
            )
        except RedisError:
            logger.warning("Redis is away: other workers were not told of %s", message["kind"])

    async def _hear(self) -> None:
        while True:
            try:
                async with self._redis.pubsub() as talk:
                    await talk.subscribe(f"{self._name}:talk")
                    await self._hear_from(talk)
            except RedisError:
                await asyncio.sleep(0.5)

    async def _hear_from(self, talk: Any) -> None:
        while True:
            found = await talk.get_message(ignore_subscribe_messages=True, timeout=5.0)
            if found:
                message = json.loads(found["data"])
                if message["from"] != self._worker and message.get("to") in (None, self._worker):
                    self._jobs.spawn(self._react(message))

    async def _react(self, message: dict[str, Any]) -> None:
        if answered := message.get("answer"):
            future = self._asked.get(answered)
            if future and not future.done():
                future.set_result(message["body"])
            return
        assert self._heard is not None
        answer = await self._heard(message["kind"], message["body"])
        if answer is not None and "ask" in message:
            reply = {"kind": "answer", "answer": message["ask"], "to": message["from"]}
            await self._send({**reply, "body": answer})

    async def _beat(self) -> None:
        """Keep what this worker holds. A worker that dies lets go by itself."""
        keep = self._redis.register_script(_KEEP)
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                for key, value in list(self._held.items()):
                    await keep(keys=[key], args=[value, LEASE_MS])
            except RedisError:
                logger.warning("Redis is away: leases could not be kept")

    async def _drop(self, key: str, value: str) -> None:
        if self._held.get(key) == value:
            del self._held[key]
        try:
            await self._redis.register_script(_DROP)(keys=[key], args=[value])
        except RedisError:
            logger.warning("Redis is away: a lease is left to expire")

    def _key(self, kind: str, chat: Chat) -> str:
        return f"{self._name}:{kind}:{quote(chat[0], safe='')}:{quote(chat[1], safe='')}"

    def _value(self, lease: Lease) -> str:
        return f"{self._worker}:{lease.id}"


def _lines(chunks: list[AnyChunk]) -> bytes:
    return b"\n".join(map(encode_json, chunks))


def _chunks(lines: bytes) -> list[AnyChunk]:
    """Chunks as they were written: they only pass through here."""
    return cast(list[AnyChunk], [msgspec.Raw(line) for line in lines.split(b"\n") if line])
