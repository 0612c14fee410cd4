"""Live chats: one span for the run, one per turn, and the wait of a call beside ADK's own."""

from contextlib import AbstractAsyncContextManager
from uuid import uuid4

import pytest

from tests.support.clients.http import decision
from tests.support.clients.raw_socket import RawSocket
from tests.support.clients.socket import SocketChat
from tests.support.servers.observed import TOKEN, ObservedServer, Telemetry

pytestmark = pytest.mark.processes

PAY = '/call process_payment {"amount": 12.5, "recipient": "Hanako"}'
TOOL = "process_payment"


def socket_of(server: ObservedServer, chat: str) -> AbstractAsyncContextManager[SocketChat]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    return SocketChat.connect(server.url.replace("http", "ws") + "/live", chat, headers)


@pytest.fixture
def chat() -> str:
    return uuid4().hex


async def test_a_call_waits_in_the_trace_of_its_run(observed: ObservedServer, chat: str) -> None:
    async with socket_of(observed, chat) as client:
        request = (await client.say(PAY)).approvals[0]
        during = observed.telemetry()
        assert during.number("adk_stream.active_live_sessions") == 1
        assert not during.named("live_session", gen_ai__conversation__id=chat)
        assert (await client.answer(decision(request, True, TOOL))).said
    # A message over HTTP ends the live run.
    rest = observed.chat()
    rest.id = chat
    assert rest.say("hello").said
    told = observed.telemetry()
    run = told.one("live_session", gen_ai__conversation__id=chat)
    asking, going_on, after = told.named("turn", gen_ai__conversation__id=chat)
    assert [one.attributes["adk_stream.live"] for one in (asking, going_on, after)] == [1, 1, 0]
    assert asking.parent == going_on.parent == run.id
    assert asking.attributes["adk_stream.outcome"] == "waiting"
    gate = told.one(f"approval_gate {TOOL}", gen_ai__conversation__id=chat)
    assert gate.attributes["adk_stream.outcome"] == "started"
    assert told.parents(gate)[0] == f"execute_tool {TOOL}"
    wait = told.one(f"await_approval {TOOL}", gen_ai__conversation__id=chat)
    assert wait.trace == gate.trace == run.trace != after.trace
    assert told.parents(gate)[-1] == told.parents(wait)[-1] == "live_session"
    assert wait.links == [going_on.id]
    assert run.attributes["adk_stream.outcome"] == "closed"
    assert told.number("adk_stream.active_live_sessions") == 0


async def test_a_run_that_ends_with_a_call_is_parked(observed: ObservedServer, chat: str) -> None:
    async with socket_of(observed, chat) as client:
        request = (await client.say(PAY)).approvals[0]
    rest = observed.chat()
    rest.id = chat
    observed.get(f"/leave/{TOKEN}/{chat}")
    assert rest.answer(decision(request, True, TOOL)).said
    told = observed.telemetry()
    run = told.one("live_session", gen_ai__conversation__id=chat)
    assert run.attributes["adk_stream.outcome"] == "parked"
    asking, going_on = told.named("turn", gen_ai__conversation__id=chat)
    wait = told.one(f"await_approval {TOOL}", gen_ai__conversation__id=chat)
    assert asking.trace == run.trace == wait.trace != going_on.trace
    assert going_on.links == [wait.parent] and wait.links == [going_on.id]
    lines = [line["message"] for line in observed.log(chat)]
    assert lines.index("live session opened") < lines.index("live session parked")
    assert lines[-3:] == ["approval claimed", "approval done", "turn ended"]


async def test_a_call_that_the_model_takes_back(observed: ObservedServer, chat: str) -> None:
    which = {"gen_ai__tool__name": TOOL, "adk_stream__outcome": "withdrawn"}
    before = observed.telemetry().number("adk_stream.gated_calls", **which)
    async with socket_of(observed, chat) as client:
        await client.say(f"{PAY}\n/withdraw")
        told = observed.until(
            lambda told: told.named(f"await_approval {TOOL}", gen_ai__conversation__id=chat)
        )
    wait = told.one(f"await_approval {TOOL}", gen_ai__conversation__id=chat)
    assert wait.attributes["adk_stream.outcome"] == "withdrawn"
    assert told.number("adk_stream.gated_calls", **which) == before + 1
    assert "approval withdrawn" in [line["message"] for line in observed.log(chat)]


async def test_a_browser_call_that_the_model_takes_back(
    observed: ObservedServer, chat: str
) -> None:
    async with socket_of(observed, chat) as client:
        await client.say('/call change_bgm {"track": 2}\n/withdraw')
        told = observed.until(
            lambda told: told.named("browser_call change_bgm", gen_ai__conversation__id=chat)
        )
    ran = told.one("browser_call change_bgm", gen_ai__conversation__id=chat)
    assert ran.attributes["adk_stream.outcome"] == "withdrawn"
    assert "browser call withdrawn" in [line["message"] for line in observed.log(chat)]


async def unread(observed: ObservedServer, chat: str, chunks: int) -> None:
    """A turn whose client takes next to nothing of it, and is gone."""
    async with RawSocket.connect(observed.port) as stalled:
        await stalled.say(f"/say {chunks}", chat)
        observed.until(
            lambda told: (
                told.named("turn", gen_ai__conversation__id=chat)
                and told.number("adk_stream.active_turns") == 0
            )
        )


def dropped(told: Telemetry, why: str) -> float:
    return told.number("adk_stream.dropped_chunks", adk_stream__reason=why)


async def test_what_a_reader_does_not_take_is_counted(observed: ObservedServer, chat: str) -> None:
    before = dropped(observed.telemetry(), "slow")
    await unread(observed, chat, 4000)
    observed.until(lambda told: dropped(told, "slow") > before + 1000)
    observed.get(f"/leave/local/{chat}")


async def test_what_a_reader_leaves_behind_is_counted(observed: ObservedServer, chat: str) -> None:
    """It was not so far behind that it had been given up."""
    before = observed.telemetry()
    await unread(observed, chat, 1900)
    told = observed.until(lambda told: dropped(told, "closed") > dropped(before, "closed"))
    assert dropped(told, "closed") < dropped(before, "closed") + 1900
    assert dropped(told, "slow") == dropped(before, "slow")
    observed.get(f"/leave/local/{chat}")
