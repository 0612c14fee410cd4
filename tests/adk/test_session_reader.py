"""The open turn of a chat, read from its session: whole, however few events are asked for."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol import MemoryApprovalStore
from adk_stream_protocol.adk import session_reader as module
from adk_stream_protocol.adk.session_reader import TITLE, SessionReader
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.convert.calls import current_turn
from tests.support.desk import ALICE, Desk, message
from tests.support.events import call, event, response, text
from tests.support.live_scene import SlotChat
from tests.support.tills import Till

KEY: dict[str, Any] = {"app_name": "clerk", "user_id": "alice", "session_id": "c"}
PAY = '/call pay {"amount": 5}'
ELSEWHERE = "elsewhere.example:1:2"


def reader_of(
    inner: InMemorySessionService, config: GetSessionConfig | None = None
) -> SessionReader:
    return SessionReader(TurnSessions(inner), ApprovalBook(MemoryApprovalStore()), config)


async def test_a_chat_that_is_not_there_is_not_made() -> None:
    inner = InMemorySessionService()
    assert await reader_of(inner).read(SlotChat()) is None
    assert await reader_of(inner, GetSessionConfig(num_recent_events=1)).read(SlotChat()) is None
    assert (await inner.list_sessions(app_name="clerk")).sessions == []


@pytest.mark.parametrize(
    ("said", "state"),
    [(message("First  things\nfirst").content, {TITLE: "First things first"}), (None, {})],
    ids=["written", "spoken"],
)
async def test_a_new_chat_has_what_is_said_first_as_its_title(
    said: types.Content | None, state: dict[str, str]
) -> None:
    inner = InMemorySessionService()
    opened = await reader_of(inner).read_or_create(SlotChat(), said)
    assert opened.session.state == state and opened.turn_events() == []
    again = await reader_of(inner).read_or_create(SlotChat(), message("Another").content)
    assert again.session.state == state


SAID = event(text("Hi"), author="user")
ANSWERED = event(text("Hello"))
CALLED = event(call("c1", "look", args={}))
LOOKED = event(response("c1", "look", {"ok": 1}), author="user")


async def stored(events: list[Event]) -> InMemorySessionService:
    """A session with these events, each with an id and a run of its own turn."""
    inner = InMemorySessionService()
    session = await inner.create_session(**KEY)
    run = 0
    for number, one in enumerate(events):
        run += one is SAID
        told = {"id": f"e{number}", "invocation_id": f"i{run}", "timestamp": float(number + 1)}
        await inner.append_event(session, one.model_copy(update=told, deep=True))
    return inner


@given(
    st.lists(st.sampled_from([SAID, ANSWERED, CALLED, LOOKED]), max_size=40),
    st.one_of(
        st.builds(GetSessionConfig, num_recent_events=st.integers(0, 50)),
        st.builds(GetSessionConfig, after_timestamp=st.floats(0, 60)),
    ),
)
def test_what_can_still_be_open_is_read_however_small_the_window(
    history: list[Event], config: GetSessionConfig
) -> None:
    async def scene() -> None:
        inner = await stored([SAID, *history])
        whole = await inner.get_session(**KEY)
        assert whole is not None
        opened = await reader_of(inner, config).read(SlotChat())
        assert opened is not None
        ids = [one.id for one in opened.turn_events()]
        assert ids == [one.id for one in current_turn(whole.events)]

    asyncio.run(scene())


async def test_a_small_window_reads_little_of_a_long_chat() -> None:
    inner = await stored([SAID, ANSWERED] * 200)
    opened = await reader_of(inner, GetSessionConfig(num_recent_events=3)).read(SlotChat())
    assert opened is not None and len(opened.session.events) <= 3
    whole = await reader_of(inner, GetSessionConfig(num_recent_events=3)).read(
        SlotChat(), whole=True
    )
    assert whole is not None and len(whole.session.events) == 400


async def finished_elsewhere(desk: Desk) -> None:
    """Another worker has run the call, and its event is on its way to the session."""
    record = await desk.record()
    approved = await desk.book.decide(record, ALICE, True, None)
    started = await desk.book.claim(approved, {"amount": 5})
    assert started is not None
    done = replace(started, state=State.DONE, result='{"paid": 5}', holder=ELSEWHERE)
    assert await desk.store.move(started, done, (await desk.store.trail(None))[-1])


async def test_a_result_that_another_worker_is_storing_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(Till().tool())
    await desk.say(PAY)
    await finished_elsewhere(desk)

    async def store() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        paid = event(response((await desk.record()).call_id, "pay", {"paid": 5}))
        await desk.inner.append_event(await desk.session(), paid)

    monkeypatch.setattr(module, "LOOK_SECONDS", 0)
    storing = asyncio.create_task(store())
    opened = await desk.reader.read(SlotChat())
    await storing
    assert opened is not None and not opened.is_stored_elsewhere
    assert [one.response for one in opened.calls.by_id.values()] == [{"paid": 5}]


async def test_a_result_that_never_comes_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0)
    desk = Desk(Till().tool())
    await desk.say(PAY)
    await finished_elsewhere(desk)
    opened = await desk.reader.read(SlotChat())
    assert opened is not None and opened.is_stored_elsewhere
