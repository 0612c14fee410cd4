"""Tens of thousands of hostile messages, and the server is as it was: same process, same money.

`make hostile` sends ten times as many, from another seed.
"""

import asyncio
import os
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.support.hostile.bodies import Bender
from tests.support.hostile.http import Attacker, Seen
from tests.support.hostile.process import is_error, memory
from tests.support.hostile.sockets import SocketAttacker
from tests.support.servers.in_process import until
from tests.support.servers.logged import LoggedDemo
from tests.support.ways.bodies import yes
from tests.support.ways.clients import Chat, Way
from tests.support.ways.server import Elsewhere
from tests.support.ways.sockets import open_client

COUNT = int(os.environ.get("ADK_STREAM_HOSTILE", "20000"))
SEED = int(os.environ.get("ADK_STREAM_SEED", "14"))
WARM = COUNT // 4
AT_ONCE = 6
SECRET = "the-secret-of-alice"
WAYS: list[Way] = ["http", "socket", "envelopes"]


@pytest.fixture
def demo(tmp_path: Path) -> Generator[LoggedDemo]:
    server = LoggedDemo(tmp_path, ADK_STREAM_LOG_LEVEL="warning").start()
    yield server
    server.kill()


async def test_nothing_hostile_changes_anything(demo: LoggedDemo) -> None:
    pid, approval = demo.pid, await secrets_of_alice(demo)
    seen = Seen(secret=SECRET.encode())
    names = ["alices", approval["id"], approval["toolCallId"]]
    sent = await attack(demo, seen, names, WARM)
    warm = memory(pid)
    sent += await attack(demo, seen, names, COUNT - WARM)
    assert seen.faults == []
    assert sent >= COUNT and {200, 401, 403, 404, 415, 422} <= set(seen.statuses)
    assert demo.pid == pid and demo.is_running
    assert [line for line in demo.log_file.read_text().splitlines() if is_error(line)] == []
    assert (await approvals_of_alice(demo))[0]["id"] == approval["id"]
    assert Elsewhere(demo).paid("bob") == Elsewhere(demo).paid("alice") == []
    await until(lambda: memory(pid) < 1.5 * warm)  # live runs outlive their sockets for a while
    for way in WAYS:
        await asyncio.to_thread(pay_once, demo, way)


async def attack(demo: LoggedDemo, seen: Seen, names: list[str], count: int) -> int:
    """Send so many messages over some connections side by side."""
    left = iter(range(count))

    async def over_http(seed: int) -> int:
        attacker, sent = Attacker(demo.port, Bender(seed, names), seen), 0
        for _ in left:
            await attacker.attack()
            sent += 1
        await attacker.close()
        return sent

    async def over_sockets(seed: int) -> int:
        attacker, sent = SocketAttacker(demo.port, Bender(seed, names), seen), 0
        for _ in left:
            frames = await attacker.attack()
            sent += frames
            for _ in zip(range(frames - 1), left, strict=False):
                pass  # each frame counts
        return sent

    workers = [over_http(SEED * 100 + count + number) for number in range(AT_ONCE - 2)]
    workers += [over_sockets(SEED * 100 + count + 50 + number) for number in range(2)]
    return sum(await asyncio.gather(*workers))


async def secrets_of_alice(demo: LoggedDemo) -> dict[str, str]:
    """Let alice say a secret and ask for a payment. Return the request."""
    async with httpx.AsyncClient(base_url=demo.url, headers=as_user("alice"), timeout=60) as http:
        for text in (f"/say 1 {SECRET}", '/call process_payment {"amount": 7, "recipient": "Eve"}'):
            message = {"role": "user", "content": text}
            await http.post("/api/chat", json={"id": "alices", "message": message})
    return (await approvals_of_alice(demo))[0]


async def approvals_of_alice(demo: LoggedDemo) -> list[dict[str, str]]:
    async with httpx.AsyncClient(base_url=demo.url, headers=as_user("alice"), timeout=60) as http:
        return (await http.get("/api/approvals")).json()["approvals"]


def as_user(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {name}"}


def pay_once(demo: LoggedDemo, way: Way) -> None:
    """Ask, approve and pay, as any user would."""
    client = open_client(way, Chat.new(Elsewhere(demo)))
    asked = client.say("Send $50 to Hanako")
    client.answer(asked, yes(asked.asking()))
    assert client.chat.paid() == [("Hanako", 50)]
    client.close()
