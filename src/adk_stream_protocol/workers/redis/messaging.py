"""Talk between workers over Redis publish/subscribe. What is said while Redis is away is lost."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from secrets import token_hex
from typing import Any

from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.workers.redis.away import AWAY
from adk_stream_protocol.workers.relay import Answer, Heard

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 5.0
AGAIN_SECONDS = 0.2
LOOK_SECONDS = 0.1  # how often a worker that is asked is looked at: it may have died

Message = dict[str, Any]


class Talk:
    """One worker's ear and mouth: a channel for all, and one for each."""

    def __init__(
        self,
        redis: Any,
        channel: str,
        me: str,
        heard: Heard,
        on_open: Callable[[], Awaitable[None]],
    ) -> None:
        self._redis = redis
        self._channel = channel
        self._me = me
        self._heard = heard
        self._on_open = on_open
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._jobs = BackgroundTasks()
        self.is_open = asyncio.Event()

    async def hear(self) -> None:
        """Listen until cancelled, through every loss of the connection."""
        try:
            while True:
                try:
                    async with self._redis.pubsub() as channel:
                        await channel.subscribe(self._channel, self._channel_of(self._me))
                        await self._hear_from(channel)
                except AWAY:
                    self.is_open.clear()
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            self._jobs.cancel()

    async def _hear_from(self, channel: Any) -> None:
        while True:
            found = await channel.get_message(timeout=5.0)
            if found and found["type"] == "message":
                self._take(json.loads(found["data"]))
            elif found and found["type"] == "subscribe" and found["data"] == 2:
                self.is_open.set()
                self._jobs.spawn(self._opened())

    async def _opened(self) -> None:
        await self._on_open()

    def _take(self, message: Message) -> None:
        if message["from"] == self._me:
            return
        if future := self._asked.get(message.get("answer", "")):
            if not future.done():
                future.set_result(message["body"])
        elif "answer" not in message:
            self._jobs.spawn(self._react(message))

    async def _react(self, message: Message) -> None:
        try:
            answer = await self._heard(message["kind"], message["body"])
        except Exception:
            logger.exception("what another worker said (%s) could not be done", message["kind"])
            return
        if answer is not None and "ask" in message:
            body = {"from": self._me, "answer": message["ask"], "body": answer}
            await self._send(self._channel_of(message["from"]), body)

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        """Say something to all."""
        await self._send(self._channel, {"from": self._me, "kind": kind, "body": body})

    async def ask(
        self, whom: str, kind: str, body: dict[str, Any], is_gone: Callable[[], bool]
    ) -> Answer | None:
        """Ask one worker. None: it does not hear, does not answer, or is gone."""
        number = token_hex(8)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        message = {"from": self._me, "kind": kind, "body": body, "ask": number}
        try:
            if not await self._send(self._channel_of(whom), message):
                return None
            async with asyncio.timeout(ANSWER_SECONDS):
                while not (answer.done() or is_gone()):
                    await asyncio.wait({answer}, timeout=LOOK_SECONDS)
            return answer.result() if answer.done() else None
        except TimeoutError:
            logger.warning("another worker did not answer (%s)", kind)
            return None
        finally:
            del self._asked[number]

    async def _send(self, channel: str, message: Message) -> int:
        """How many heard it."""
        try:
            return await self._redis.publish(channel, json.dumps(message))
        except AWAY:
            logger.warning("Redis is away: other workers were not told")
            return 0

    def _channel_of(self, worker: str) -> str:
        return f"{self._channel}:{worker}"
