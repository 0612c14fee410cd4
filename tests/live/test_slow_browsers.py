"""A browser that does not read holds nobody up: not the model, not the memory, not the others."""

import asyncio
import json
from contextlib import suppress

import pytest

from adk_stream_protocol.chats import turn
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.transports.uvicorn import StallGuard
from tests.support.clients.raw_socket import RawSocket, stalled_connection
from tests.support.servers.in_process import Served, clerk, responses, serving, until
from tests.support.tills import Till

MUCH = "/say 4000"
KEPT = 500
CLOSED_AS_TOO_SLOW = b"\x88\x0a\x03\xf5too slow"
"""A close frame: code 1013 and a reason of eight letters."""


@pytest.fixture(autouse=True)
def little_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "MAX_KEPT", KEPT)


async def follow_to_its_end(served: Served, chat: str = "c") -> None:
    """Wait for the turn of a chat; at no time does it keep more than it may."""
    await until(lambda: served.chat.running("alice", chat) is not None)
    running = served.chat.running("alice", chat)
    assert running is not None
    while not running.ended:
        assert running.size <= KEPT or running.since(running.size - KEPT - 1) is None
        await asyncio.sleep(0.001)
    assert running.size > 4000 and not running.is_whole


async def test_who_does_not_read_is_left_behind_and_told_so_when_he_does() -> None:
    async with serving(clerk(), send_buffer=4096) as served:
        async with RawSocket.connect(served.port) as stalled, served.socket("d") as other:
            await stalled.say(MUCH)
            following = asyncio.create_task(follow_to_its_end(served))
            for _ in range(3):
                assert (await other.say("hello")).said == "Hello! What can I do for you?"
            await asyncio.wait_for(following, 60)
            await stalled.read_to(CLOSED_AS_TOO_SLOW)
            assert (await other.say("hello")).said


async def test_who_does_not_read_for_long_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "MAX_KEPT", 100_000)
    limits = Limits(stalled=0.1)
    async with serving(clerk(), send_buffer=4096, grace=0.01, limits=limits) as served:
        async with RawSocket.connect(served.port) as stalled:
            await stalled.say(MUCH)
            await until(lambda: served.is_live())
            await until(lambda: served.chat.running("alice", "c") is None)
            await stalled.read_to(CLOSED_AS_TOO_SLOW)
            await until(lambda: not served.is_live())


async def test_a_call_of_a_stalled_browser_can_be_answered_elsewhere() -> None:
    till = Till()
    async with serving(clerk(till.tool()), send_buffer=4096) as served:
        async with RawSocket.connect(served.port) as stalled:
            await stalled.say(f'{MUCH}\n/call pay {{"amount": 5}}')
            await follow_to_its_end(served)
            (waiting,) = (await served.request("GET", "/api/approvals")).json()["approvals"]
            async with served.socket() as socket:
                assert (await socket.resume()).status == 204
                request = {"approvalId": waiting["id"], "toolCallId": waiting["toolCallId"]}
                assert (await socket.approve(request)).said.endswith('{"paid": 5}.')
                assert responses(await socket.context()) == [{"paid": 5}]
    assert till.paid == [5]


async def test_a_connection_that_takes_nothing_is_cut_and_its_turn_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(StallGuard, "stalled", 0.05)
    body = json.dumps({"id": "c", "message": {"role": "user", "content": MUCH}}).encode()
    limits = Limits(stalled=0.05, turns_per_user=1)
    async with serving(clerk(), send_buffer=4096, limits=limits) as served:
        reader, writer = await stalled_connection(served.port)
        head = "POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await until(lambda: served.chat.get("alice", "c") is not None)

        async def is_free() -> bool:
            return (await served.say("/say 1", "d")).status == 200

        await until(is_free)
        with suppress(ConnectionResetError):
            async with asyncio.timeout(60):
                assert b"[DONE]" not in await reader.read()
        writer.close()


async def test_a_request_that_was_not_read_in_time_does_not_look_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turn, "MAX_WAITING", 100)
    monkeypatch.setattr(turn, "STALL_SECONDS", 0.05)
    body = json.dumps({"id": "c", "message": {"role": "user", "content": MUCH}}).encode()
    async with serving(clerk(), send_buffer=4096) as served:
        reader, writer = await stalled_connection(served.port)
        head = "POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await follow_to_its_end(served)
        async with asyncio.timeout(60):
            assert b"[DONE]" not in await reader.read()
        writer.close()
