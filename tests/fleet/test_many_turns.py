"""A thousand turns over all workers: nothing lost, doubled or out of order, and never refused."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from tests.fleet.conftest import OpenChat
from tests.support.clients.http import decision
from tests.support.clients.roamer import Roamer, pay, texts
from tests.support.fleet.fleet import Fleet

CHATS = 50
TURNS = 10
AT_ONCE = 12


@dataclass
class Expected:
    """What a chat must hold in the end."""

    said: list[str] = field(default_factory=list[str])
    answers: list[str] = field(default_factory=list[str])
    paid: list[str] = field(default_factory=list[str])


async def converse(chat: Roamer, slots: asyncio.Semaphore, chance: random.Random) -> Expected:
    """Ten turns, each on another worker than the one before."""
    expected, turns = Expected(), 0
    while turns < TURNS:
        async with slots:
            name = f"{chat.id}-{turns}"
            if chance.random() < 0.15 and turns + 2 <= TURNS:
                await payment(chat, name, chance.random() < 0.7, expected)
                turns += 2
            else:
                await numbers(chat, name, 1 + turns % 7, expected)
                turns += 1
    return expected


async def numbers(chat: Roamer, name: str, count: int, expected: Expected) -> None:
    text = f"/think {name}\n/say {count}"
    reply = await chat.say(text)
    said = "".join(f"{number} " for number in range(1, count + 1))
    assert (reply.status, reply.said) == (200, said), f"{name}: {reply.text}"
    assert reply.types[-1] == "finish"
    expected.said.append(text)
    expected.answers.append(said)


async def payment(chat: Roamer, name: str, approved: bool, expected: Expected) -> None:
    reply = await chat.say(pay(name))
    assert reply.status == 200, f"{name}: {reply.text}"
    answer = await chat.answer(decision(reply.approvals[0], approved))
    assert answer.status == 200 and answer.types[-1] == "finish", f"{name}: {answer.text}"
    expected.said.append(pay(name))
    expected.answers.append(answer.said)
    expected.paid += [name] if approved else []


async def test_a_thousand_turns(open_chat: OpenChat, fleet: Fleet) -> None:
    """Five hundred with two workers, and as many with four."""
    before = len(fleet.sink.received)
    chats = [open_chat() for _ in range(CHATS)]
    slots, chance = asyncio.Semaphore(AT_ONCE), random.Random(len(fleet.workers))
    expected = await asyncio.gather(*(converse(chat, slots, chance) for chat in chats))
    for chat, one in zip(chats, expected, strict=True):
        found = await chat.messages()
        assert texts(found, "user") == one.said
        assert texts(found, "assistant") == one.answers
        assert len({message["id"] for message in found if message["role"] == "assistant"}) == len(
            one.answers
        )
    paid = fleet.paid_to()[before:]
    assert Counter(paid) == Counter(name for one in expected for name in one.paid)
    assert len(paid) > 10
