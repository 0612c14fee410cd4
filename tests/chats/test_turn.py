"""A running turn: what it keeps, for whom it waits, and how it ends."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats import turn as turns
from adk_stream_protocol.chats.turn import MAX_KEPT, Turn
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk, Data, TextDelta, TextEnd, TextStart

HOUR = 3_600.0
BEFORE: list[AnyChunk] = [TextDelta(id="8", delta="before")]


def new_turn() -> Turn:
    return Turn("r", ChatId("app", "u", "c"))


def deltas(*texts: str) -> list[AnyChunk]:
    return [TextDelta(id="0", delta=text) for text in texts]


async def batches(turn: Turn, **options: bool) -> list[list[AnyChunk]]:
    async with asyncio.timeout(60):
        return [batch async for batch in turn.batches(HOUR, **options)]


@given(st.lists(st.lists(st.text(max_size=2), max_size=4), max_size=6), st.integers(0, 6))
def test_every_reader_gets_everything_whenever_it_comes(pieces: list[list[str]], late: int) -> None:
    async def scene() -> list[list[list[AnyChunk]]]:
        turn = new_turn()
        early = asyncio.create_task(batches(turn))
        for number, piece in enumerate(pieces):
            if number == late:
                await asyncio.sleep(0)
            turn.put(deltas(*piece))
        turn.end(deltas("end"))
        return [await early, await batches(turn)]

    expected = [*deltas(*(text for piece in pieces for text in piece)), *deltas("end")]
    for found in asyncio.run(scene()):
        assert [chunk for batch in found for chunk in batch] == expected
        assert all(found), "nothing came for an hour"


async def test_the_size_counts_what_was_dropped() -> None:
    turn = new_turn()
    turn.put(deltas(*["x"] * MAX_KEPT))
    assert turn.is_whole and turn.size == MAX_KEPT
    turn.put(deltas("one too many"))
    assert not turn.is_whole and turn.size == MAX_KEPT + 1
    assert turn.since(0) is None
    assert turn.since(MAX_KEPT) == deltas("one too many")


async def test_a_reader_whose_chunks_are_gone_is_at_its_end_but_not_done() -> None:
    turn = new_turn()
    reader = turn.reader()
    turn.put(deltas(*["x"] * (MAX_KEPT + 1)))
    assert await reader.next(HOUR) is None and not reader.is_done
    reader.close()


async def test_a_resumed_message_begins_with_what_earlier_turns_brought() -> None:
    turn = new_turn()
    turn.message_prefix = lambda: BEFORE
    turn.put(deltas("start", "a"))
    turn.end(deltas("b"))
    (resumed,) = await batches(turn, from_message_start=True)
    assert resumed == [*deltas("start"), *BEFORE, *deltas("a", "b")]
    assert await batches(turn) == [deltas("start", "a", "b")]


async def test_a_turn_that_nobody_will_read_keeps_nothing() -> None:
    turn = new_turn()
    turn.detach()
    turn.put(deltas("a"))
    turn.end(deltas("b"))
    assert turn.size == 0 and not turn.is_whole


async def test_a_slow_reader_holds_a_turn_back_until_it_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "MAX_WAITING", 2)
    turn = new_turn()
    reader = turn.reader()
    turn.put(deltas("a"))
    assert not turn.is_full
    turn.put(deltas("b"))
    assert turn.is_full
    waiting = asyncio.create_task(turn.wait_for_room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await reader.next(HOUR) == deltas("a", "b")
    await asyncio.wait_for(waiting, 60)
    reader.close()


async def test_a_reader_that_stalls_counts_as_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_WAITING", 2)
    monkeypatch.setattr(turns, "STALL_SECONDS", 0)
    turn = new_turn()
    stalled, reading = turn.reader(), turn.reader()
    turn.put(deltas("a", "b"))
    assert await reading.next(HOUR)
    await turn.wait_for_room()
    assert not turn.is_full, "nobody waits for it any more"
    turn.put(deltas("c", "d"))
    assert turn.is_full, "the other one still counts"
    stalled.close()
    reading.close()


async def test_draining_waits_for_the_readers() -> None:
    turn = new_turn()
    reader = turn.reader()
    turn.end(deltas("end"))
    draining = asyncio.create_task(turn.drain(HOUR))
    await reader.next(HOUR)
    await asyncio.sleep(0)
    assert not draining.done(), "it may have more to do with what it has read"
    reader.close()
    await asyncio.wait_for(draining, 60)


async def test_draining_gives_up() -> None:
    turn = new_turn()
    reader = turn.reader()
    await turn.drain(0)
    reader.close()


async def test_a_stop_cancels_a_task_that_has_begun() -> None:
    turn = new_turn()

    async def run() -> None:
        turn.begin()
        await asyncio.Event().wait()

    turn.task = asyncio.create_task(run())
    await asyncio.sleep(0)
    turn.stop()
    await asyncio.wait([turn.task])
    assert turn.task.cancelled()


async def test_a_stop_before_the_first_step_is_seen_by_it() -> None:
    turn = new_turn()
    seen: list[str] = []

    async def run() -> None:
        try:
            turn.begin()
        except asyncio.CancelledError:
            seen.append("stopped")

    turn.task = asyncio.create_task(run())
    turn.stop()
    await turn.task
    assert seen == ["stopped"], "a task that is cancelled earlier would end nothing"


async def test_a_tool_in_a_thread_of_its_own_may_send_data() -> None:
    turn = new_turn()
    turn.put_data("progress", 1, None, False)
    assert turn.size == 0, "there is no message to put it into"
    turn.encoder = TurnEncoder("m1")
    thread = threading.Thread(target=turn.put_data, args=("progress", 2, "p", True))
    thread.start()
    await asyncio.to_thread(thread.join)
    reader = turn.reader()
    (data,) = await reader.next(HOUR) or []
    reader.close()
    assert data == Data(type="data-progress", id="p", data=2, transient=True)
    assert turn.message_id == "m1" and new_turn().message_id == ""


async def test_the_open_text_is_that_of_parts_without_an_end() -> None:
    turn = new_turn()
    closed: list[AnyChunk] = [TextStart(id="1"), TextDelta(id="1", delta="no"), TextEnd(id="1")]
    turn.put([*closed, TextStart(id="0"), *deltas("one ", "two"), TextStart(id="2")])
    turn.put([TextDelta(id="2", delta=" three")])
    assert turn.open_text() == "one two three"
