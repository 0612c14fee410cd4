"""A chat that asks on a socket of a worker that will be killed, and then goes on elsewhere."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

import httpx

from tests.support.clients.attempts import told
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.roamer import Roamer
from tests.support.fleet.fleet import Fleet

SECONDS = 60.0
_numbers = count()


class Asker:
    """One chat of a user of its own, who is also the recipient of its payment."""

    def __init__(self, fleet: Fleet, http: httpx.AsyncClient, victim: int = 0) -> None:
        self.name = f"asker-{next(_numbers)}"
        self._fleet = fleet
        self._http = http
        urls = fleet.urls
        self.home = self._roamer([urls[victim]])
        self.elsewhere = self._roamer(urls[:victim] + urls[victim + 1 :])
        self.request: Json = {}
        self.acknowledged = False
        """Whether a turn has begun for the answer: then the answer is stored."""

    def _roamer(self, urls: Sequence[str]) -> Roamer:
        return Roamer(self._http, urls, self._fleet.headers(self.name), self.name)

    def part(self, approved: bool) -> Json:
        return decision(self.request, approved)

    async def answer(self, way: str, approved: bool = True) -> Reply:
        """Answer on another worker."""
        if way == "http":
            return await self.elsewhere.answer(self.part(approved))
        async with self.elsewhere.socket() as socket:
            return await socket.answer(self.part(approved))

    async def say(self, way: str, text: str) -> Reply:
        if way == "http":
            return await self.elsewhere.say(text)
        async with self.elsewhere.socket() as socket:
            return await socket.say(text)

    async def told(self) -> Json:
        """What the model knows of the payment, in the chat's next turn on a socket."""
        reply = await when_free(lambda: self.say("socket", "/echo"))
        responses = told(json.loads(reply.said))
        assert len(responses) <= 1, responses
        return responses[0] if responses else {}

    async def open_request(self) -> Json | None:
        """The request that waits, as a page finds it that is loaded anew."""
        found = await self.elsewhere.request("GET", f"/api/chat/{self.name}/messages")
        assert found.status_code in (200, 404), found.text
        messages = found.json() if found.status_code == 200 else []
        for part in messages[-1]["parts"] if messages else []:
            if part.get("state") == "approval-requested":
                return {"approvalId": part["approval"]["id"], "toolCallId": part["toolCallId"]}
        return None

    def paid(self) -> int:
        return self._fleet.paid_to().count(self.name)


async def when_free(attempt: Callable[[], Awaitable[Reply]]) -> Reply:
    """The reply of a chat in which nothing runs any more."""
    async with asyncio.timeout(SECONDS):
        while True:
            reply = await attempt()
            if reply.status == 200 or "busy" not in reply.text:
                return reply
            await asyncio.sleep(0.05)
