"""One worker after the other is killed and started again while turns go on."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import pytest

from tests.fleet.conftest import NewFleet
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.roamer import Roamer, pay
from tests.support.clients.socket import answered, said
from tests.support.fleet.fleet import Fleet
from tests.support.servers.in_process import until

KILLS = 5
CHATS = 8
SECONDS = 60.0
BETWEEN = CHATS
"""How many turns are through between two kills."""


@dataclass
class Ledger:
    """What the clients were told."""

    yes: dict[str, Json] = field(default_factory=dict[str, Json])
    """Acknowledged approvals, by recipient."""
    outcomes: dict[str, str] = field(default_factory=dict[str, str])
    cut_off: int = 0
    turns: int = 0


class Persistent:
    """A client that tries again on the next worker until its turn is through."""

    def __init__(self, chat: Roamer, ledger: Ledger) -> None:
        self._chat = chat
        self._ledger = ledger
        self._names = 0

    async def talk(self, over: asyncio.Event) -> None:
        """Pay and chat until the killing is over, and once more after it."""
        is_last = False
        while not is_last:
            is_last = over.is_set()
            await self._pay()
            reply = await self._through(said("/say 3"))
            assert reply.said == "1 2 3 "

    async def _pay(self) -> None:
        """A payment that is asked for anew until somebody is asked, and then approved."""
        async with asyncio.timeout(SECONDS):
            asked = None
            while asked is None:
                asked = await self._ask()
        name, request = asked
        yes, taken = answered(decision(request, True)), {name: request}
        reply = await self._through(yes, lambda: self._ledger.yes.update(taken))
        self._ledger.outcomes[name] = _outcome(reply, request)

    async def _ask(self) -> tuple[str, Json] | None:
        self._names += 1
        name = f"{self._chat.id}-{self._names}"
        reply = await self._try(said(pay(name)))
        asked = reply.approvals if reply else []
        return (name, asked[0]) if asked else None

    async def _through(self, body: Json, acknowledged: Callable[[], None] | None = None) -> Reply:
        async with asyncio.timeout(SECONDS):
            while True:
                reply = await self._try(body, acknowledged)
                if reply:
                    return reply
                await asyncio.sleep(0.05)

    async def _try(
        self, body: Json, acknowledged: Callable[[], None] | None = None
    ) -> Reply | None:
        """None: the worker died, or the chat is still taken."""
        try:
            async with self._chat.trying(body) as (status, stream):
                if status != 200:
                    assert status in (409, 503), f"{status}: {(await stream.rest()).text}"
                    return None
                if acknowledged:
                    acknowledged()
                reply = await stream.rest()
        except httpx.TransportError:
            self._ledger.cut_off += 1
            return None
        if not reply.text.endswith("data: [DONE]\n\n") or "error" in reply.types:
            self._ledger.cut_off += 1
            return None
        self._ledger.turns += 1
        return reply


def _outcome(reply: Reply, request: Json) -> str:
    for chunk in reply.chunks:
        if chunk.get("toolCallId") == request["toolCallId"]:
            if chunk["type"] == "tool-output-available":
                return "done" if "transaction_id" in str(chunk["output"]) else str(chunk["output"])
            if chunk["type"] == "tool-output-error":
                return chunk["errorText"]
    return "nothing"


async def talked(ledger: Ledger, turns: int) -> None:
    """Wait until so many turns are through."""
    await until(lambda: ledger.turns >= turns)


async def killing(fleet: Fleet, ledger: Ledger, over: asyncio.Event) -> None:
    """`kill -9`, a new start, the next."""
    try:
        for number in range(KILLS):
            await talked(ledger, ledger.turns + BETWEEN)
            worker = fleet.workers[number % len(fleet.workers)]
            await asyncio.to_thread(worker.kill)
            worker.start()
            await asyncio.to_thread(worker.wait)
    finally:
        over.set()


@pytest.mark.parametrize("size", [2, 4])
async def test_turns_go_on_while_workers_are_killed(
    new_fleet: NewFleet, http: httpx.AsyncClient, size: int
) -> None:
    ledger, over = Ledger(), asyncio.Event()
    with await asyncio.to_thread(lambda: new_fleet(size)) as fleet:
        chats = [
            Roamer(http, fleet.urls, fleet.headers(f"user-{number}"), f"c{number}", first=number)
            for number in range(CHATS)
        ]
        talking = [Persistent(chat, ledger).talk(over) for chat in chats]
        await asyncio.gather(killing(fleet, ledger, over), *talking)
        paid = Counter(fleet.paid_to())
    assert ledger.cut_off, "no kill was ever felt"
    assert max(paid.values()) == 1, "nobody is paid twice"
    assert set(paid) <= set(ledger.yes), "nobody is paid without a yes"
    for name in ledger.yes:
        outcome = ledger.outcomes[name]
        assert outcome == "done" or "outcome_unknown" in outcome, f"{name}: {outcome}"
        assert outcome != "done" or paid[name] == 1, name
