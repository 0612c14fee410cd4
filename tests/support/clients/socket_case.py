"""One chat on a socket in a run of kills at any time: what its user says when, and what holds."""

import random
from contextlib import AsyncExitStack

import httpx

from tests.support.clients.asker import Asker, when_free
from tests.support.clients.http import Json
from tests.support.clients.roamer import pay
from tests.support.clients.socket import SocketChat
from tests.support.fleet.fleet import Fleet

ROUTES = ["asking", "socket", "socket", "socket", "http", "outside", "later"]
"""What the user does when the kill is near: ask, or answer on one of three ways, or wait."""
ANSWERING = ["socket", "http", "outside"]
WAYS_BACK = ["socket", "socket", "http", "outside", "message"]


class SocketCase(Asker):
    """The worker of its socket will be killed."""

    def __init__(
        self, fleet: Fleet, http: httpx.AsyncClient, victim: int, chance: random.Random
    ) -> None:
        super().__init__(fleet, http, victim)
        self.verdict = chance.random() < 0.75
        self.route = chance.choice(ROUTES)
        self.way_back = chance.choice(WAYS_BACK)
        self._connection = AsyncExitStack()
        self._socket: SocketChat | None = None
        self._answering = ""
        self._has_spoken = False

    @property
    def pays(self) -> bool:
        """Whether it says yes before the kill."""
        return self.verdict and self.route in ANSWERING

    async def ask(self) -> None:
        self._socket = await self._connection.enter_async_context(self.home.socket())
        if self.route != "asking":
            (self.request,) = (await self._socket.say(pay(self.name))).approvals

    async def act(self) -> None:
        """The kill may come before, during or after this."""
        assert self._socket is not None
        self._has_spoken = self.route in ANSWERING
        if self.route == "asking":
            await self._socket.start_saying(pay(self.name))
        elif self.route == "socket":
            self._answering = await self._socket.start_answering(self.part(self.verdict))
        elif self.route == "http":
            reply = await self.elsewhere.answer(self.part(self.verdict))
            assert reply.status in (200, 409, 503), reply.text
            self.acknowledged = reply.status == 200
        elif self.route == "outside":
            await self._decide()

    async def _decide(self) -> None:
        found = await self.elsewhere.decide(self.request["approvalId"], self.verdict)
        assert found.status_code == 200, found.text
        self.acknowledged = True

    async def lose(self) -> None:
        """The worker is gone."""
        assert self._socket is not None
        await self._socket.closed()
        self.acknowledged |= self._socket.has_begun(self._answering)
        await self._connection.aclose()

    async def come_back(self) -> None:
        """Say it again, as a page does that does not know what became of it; or something else."""
        self.request = self.request or await self.open_request() or {}
        if not self.request or self.way_back == "message":
            self.way_back = "message"
            return
        self._has_spoken = True
        if self.way_back == "outside":
            await self._decide()
        else:
            again = await when_free(lambda: self.answer(self.way_back, self.verdict))
            assert again.status == 200, again.text

    async def check(self) -> str:
        """Does what the user said agree with what was paid, and with what the model is told?"""
        end = _end(await self.told())
        paid = self.paid()
        assert paid <= 1 and (not paid or (self.verdict and self._has_spoken)), self
        if end != "unknown":
            assert paid == (end == "done"), f"{self}: {end}"
        if self.way_back != "message":
            assert end in (("done", "unknown") if self.verdict else ("denied",)), f"{self}: {end}"
        elif self.acknowledged and not self.verdict:
            assert end == "denied", self
        if self.request:
            assert (await self.answer("socket")).status == 0, "it is too late for another yes"
        assert self.paid() == paid, self
        return end

    def __repr__(self) -> str:
        said = f"verdict {self.verdict}, acknowledged {self.acknowledged}"
        return f"{self.name}: {self.route}, then {self.way_back}, {said}, paid {self.paid()}"


def _end(response: Json) -> str:
    if not response:
        return "never asked"
    if response.get("success") is True:
        return "done"
    words = ("outcome_unknown", "denied", "cancelled")
    (end,) = (word for word in words if word in response["error"])
    return end.removeprefix("outcome_")
