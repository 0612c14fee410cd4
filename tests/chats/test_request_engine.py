"""Turns that ADK runs from one request to its end: what is stored, and how they end."""

import asyncio
from typing import Any

import pytest
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session

from adk_stream_protocol import stream_data
from adk_stream_protocol.adk.task_context import current_run
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chats import turn as turns
from adk_stream_protocol.chats.request_engine import RequestEngine, RequestSettings
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.events import NOTES
from adk_stream_protocol.convert.history.exchanges import MESSAGE_ID, USER_MESSAGE_ID
from adk_stream_protocol.errors import Busy, UnknownId
from adk_stream_protocol.protocol.chunks import Data, Error
from adk_stream_protocol.workers.lease import ChatLease
from tests.support.desk import ALICE, Desk, as_json, kinds, message, read, said, until, verdict
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


class Sessions(InMemorySessionService):
    """Fails to store what the model says, if it is told so."""

    def __init__(self) -> None:
        super().__init__()
        self.failure: Exception | None = None

    async def append_event(self, session: Session, event: Event) -> Event:
        if self.failure and event.author != "user":
            raise self.failure
        return await super().append_event(session, event)


def engine_of(desk: Desk, **config: Any) -> RequestEngine:
    run_config = RunConfig(streaming_mode=StreamingMode.SSE, **config)
    settings = RequestSettings(desk.runner, run_config, desk.reader, 600)
    return RequestEngine(desk.chats.of("alice", "c"), settings)


async def test_every_event_of_a_run_stores_the_ids_of_its_messages() -> None:
    desk = Desk()
    said_by_client = TurnInput(content=message("hello").content, user_message_id="mine")
    turn = await engine_of(desk, custom_metadata={"own": 1}).say(said_by_client, "native")
    start = as_json((await read(turn))[0])
    events = (await desk.session()).events
    assert events and all((one.custom_metadata or {})["own"] == 1 for one in events)
    for event in events:
        notes = (event.custom_metadata or {})[NOTES]
        assert (notes[MESSAGE_ID], notes[USER_MESSAGE_ID]) == (start["messageId"], "mine")


async def test_an_answer_to_an_unknown_chat_is_refused() -> None:
    desk = Desk()
    engine = engine_of(desk)
    with pytest.raises(UnknownId):
        await engine.read()
    engine.abandon()
    assert desk.chats.running("alice", "c") is None


async def test_a_failure_ends_the_turn_with_its_code() -> None:
    sessions = Sessions()
    desk = Desk(sessions=sessions)
    await desk.say("hello")
    sessions.failure = OSError("SELECT secret")
    chunks = await desk.say("hello")
    error = chunks[-1]
    assert isinstance(error, Error) and "SELECT" not in error.error_text
    assert error.error_text.startswith("The store is not responding")
    assert desk.chats.running("alice", "c") is None
    sessions.failure = None
    assert said(await desk.say("hello")), "the chat goes on"


async def test_a_tool_knows_the_run_that_it_belongs_to() -> None:
    seen: list[object] = []

    def look() -> dict[str, bool]:
        """Look around."""
        run = current_run()
        assert run is not None and run.link is None
        seen.append(run.chat_id.chat)
        assert run.calls is desk.chats.of("alice", "c").calls
        stream_data("progress", 50)
        return {"ok": True}

    desk = Desk(look)
    chunks = await desk.say("/call look {}")
    assert seen == ["c"]
    assert Data(type="data-progress", data=50) in chunks
    assert current_run() is None


async def test_a_rewind_says_it_again_without_what_came_after() -> None:
    desk = Desk()
    first = TurnInput(content=message("first").content, user_message_id="u1")
    await read(await desk.open(first))
    await desk.say("second")
    again = TurnInput(content=message("").content, rewind_before=("u1",), is_regenerate=True)
    await read(await desk.open(again))
    listing = said(await desk.say("/echo"))
    assert "first" in listing and "second" not in listing


async def test_an_edit_says_something_else() -> None:
    desk = Desk()
    first = TurnInput(content=message("first").content, user_message_id="u1")
    await read(await desk.open(first))
    edited = TurnInput(
        content=message("better").content, rewind_before=("u1",), user_message_id="u1"
    )
    await read(await desk.open(edited))
    listing = said(await desk.say("/echo"))
    assert "better" in listing and "first" not in listing


@pytest.mark.parametrize("style", ["native", "adk-tool"])
async def test_held_text_comes_with_the_answer_in_the_style_that_holds_it(style: Any) -> None:
    desk = Desk(Till().tool())
    asked = message(f"/say 2\n{PAY}")
    before = await read(await desk.chats.open_turn(ALICE, "c", asked, style))
    given = TurnInput(answers=(verdict(await desk.record()),), message_id="m")
    after = await read(await desk.chats.open_turn(ALICE, "c", given, style))
    assert ("1 2 " in said(before), "1 2 " in said(after)) == (
        (True, False) if style == "native" else (False, True)
    )


async def test_what_was_decided_elsewhere_is_gone_on_with_unread() -> None:
    till = Till()
    desk = Desk(till.tool())
    await desk.say(PAY)
    await desk.book.decide(await desk.record(), ALICE, True, None)
    await engine_of(desk).go_on()
    turn = desk.chats.running("alice", "c")
    assert turn is not None and not turn.is_whole
    await until(lambda: turn.ended)
    assert till.paid == [5] and turn.size == 0
    assert await desk.states() == ["done"]


async def test_going_on_with_nothing_does_nothing() -> None:
    desk = Desk()
    await engine_of(desk).go_on()
    await until(lambda: desk.chats.running("alice", "c") is None)
    await desk.say("hello")
    before = len((await desk.session()).events)
    await engine_of(desk).go_on()
    await until(lambda: desk.chats.running("alice", "c") is None)
    assert len((await desk.session()).events) == before


@pytest.mark.parametrize("error", [Busy("Elsewhere."), UnknownId("Gone.")])
async def test_going_on_is_left_to_a_worker_that_has_just_begun(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk()
    chat = desk.chats.of("alice", "c")

    async def refuse(lease: ChatLease, **options: bool) -> None:
        raise error

    monkeypatch.setattr(ChatLease, "acquire", refuse)
    if isinstance(error, Busy):
        await engine_of(desk).go_on()
    else:
        with pytest.raises(UnknownId):
            await engine_of(desk).go_on()
    assert chat.turn is None


async def test_a_stop_keeps_what_the_model_had_said() -> None:
    desk = Desk()
    turn = await desk.open(message("/say 3\n/hang 60"))
    await until(lambda: "3" in turn.open_text())
    assert await desk.chats.stop("alice", "c")
    await read(turn)
    last = (await desk.session()).events[-1]
    assert last.interrupted and last.content and last.content.parts
    assert (last.content.parts[0].text or "").startswith("1 2 3")


async def test_a_stop_before_anything_was_said_stores_nothing_more() -> None:
    desk = Desk()
    turn = await desk.open(message("/hang 60"))
    assert turn.task is not None
    await until(lambda: desk.inner.sessions.get("clerk") is not None)
    assert await desk.chats.stop("alice", "c")
    await read(turn)
    assert not any(one.interrupted for one in (await desk.session()).events)


async def test_a_slow_reader_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_WAITING", 3)
    desk = Desk()
    turn = await desk.open(message("/say 20"))
    reader = turn.reader()
    await until(lambda: turn.is_full)
    size = turn.size
    for _ in range(50):
        await asyncio.sleep(0)
    assert turn.size - size < 3 and not turn.ended
    chunks: list[Any] = []
    while (batch := await reader.next(60)) is not None:
        chunks += batch
    reader.close()
    assert kinds(chunks)[-1] == "finish"
    assert said(chunks) == "".join(f"{number} " for number in range(1, 21))


async def test_a_yes_of_another_person_is_refused_and_the_chat_stays_as_it_is() -> None:
    desk = Desk(Till().tool())
    await desk.say(PAY)
    given = TurnInput(answers=(verdict(await desk.record()),))
    with pytest.raises(UnknownId):
        await desk.chats.open_turn(Principal("bob"), "c", given, "native")
    assert await desk.states() == ["pending"]
    assert desk.chats.running("alice", "c") is None
