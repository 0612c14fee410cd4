"""Registries that a long life would fill: each lets go of what nobody needs."""

import gc
import weakref
from typing import Any

from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import BROWSER, ApprovalBook
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from tests.support.servers.in_process import clerk, serving, until

PLACE = ChatId("clerk", "alice", "c")


async def test_a_socket_lets_go_of_the_chats_it_used_longest_ago() -> None:
    most = DEFAULT_LIMITS.live_chats_per_socket
    async with serving(clerk(), grace=0.01) as served, served.socket() as socket:
        names = [f"chat-{number}" for number in range(most + 3)]
        for socket.id in names:
            assert (await socket.say("/say 1")).said
        await until(lambda: [served.is_live(name) for name in names].count(True) == most)
        assert [served.is_live(name) for name in names[:4]] == [False, False, False, True]
        socket.id = names[0]
        texts = [
            part.get("text")
            for one in (await socket.context())["contents"]
            for part in one["parts"]
        ]
        assert texts[0] == "/say 1"
        await until(lambda: not served.is_live(names[3]))


async def test_a_user_has_so_many_live_chats() -> None:
    limits = Limits(live_chats_per_user=2)
    async with serving(clerk(), limits=limits) as served, served.socket() as socket:
        for socket.id in ("one", "two"):
            assert (await socket.say("/say 1")).said
        socket.id = "three"
        assert "too-many" in (await socket.say("/say 1")).text
        async with served.socket("three", "bob") as other:
            assert (await other.say("/say 1")).said
        socket.id = "two"
        assert (await socket.say("/say 1")).said


async def asked(approvals: ApprovalBook, number: int = 0):
    return await approvals.ask(
        PLACE,
        f"approval-{number}",
        call_id=f"call-{number}",
        invocation_id="e",
        tool="locate",
        arguments={},
    )


async def test_an_approved_browser_call_is_not_held_for_a_start_here() -> None:
    approvals = ApprovalBook(MemoryApprovalStore())
    decided = await approvals.decide(await asked(approvals), Principal("alice"), True, None)
    await approvals.claim(decided, {}, BROWSER)
    found = await approvals.of_calls(PLACE, ["call-0"])
    assert found["call-0"].state is State.EXECUTING


async def test_a_memory_store_keeps_the_newest_records() -> None:
    approvals = ApprovalBook(MemoryApprovalStore(most=2))
    for number in range(3):
        await asked(approvals, number)
    assert [one.id for one in await approvals.store.listed(None, None)] == [
        "approval-1",
        "approval-2",
    ]
    assert await approvals.of_calls(PLACE, ["call-0"]) == {}


async def test_a_session_that_no_run_took_is_not_kept_for_a_later_one() -> None:
    sessions = TurnSessions(InMemorySessionService())
    names: Any = {"app_name": "clerk", "user_id": "alice", "session_id": "c"}
    session = await sessions.create_session(**names)
    sessions.hand_over(session)
    assert await sessions.get_session(**names) is session
    sessions.hand_over(session)
    assert await sessions.read("clerk", "alice", "c") is not session
    assert await sessions.get_session(**names) is not session
    sessions.hand_over(session)
    left = weakref.ref(session)
    del session
    gc.collect()
    assert left() is None
