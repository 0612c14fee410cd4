"""Readers of a turn: many chunks at one go where they come in numbers, a lone one at once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats import turn as turns
from adk_stream_protocol.chats.turn import Reader, Turn
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta

MANY = 2_000
HOUR = 3_600.0


def chunk(number: int) -> AnyChunk:
    return TextDelta(id="0", delta=f"{number} ")


def numbers(batch: list[AnyChunk] | None) -> list[int]:
    assert batch is not None
    return [int(one.delta) for one in batch if isinstance(one, TextDelta)]


async def flood(turn: Turn, count: int = MANY) -> None:
    """A chunk, or two at first, each time the loop goes round."""
    turn.put([chunk(0), chunk(1)])
    for number in range(2, count):
        await asyncio.sleep(0)
        turn.put([chunk(number)])


@asynccontextmanager
async def reading(turn: Turn) -> AsyncGenerator[Reader]:
    reader = turn.reader()
    try:
        async with asyncio.timeout(60):
            yield reader
    finally:
        reader.close()


async def read_until(reader: Reader, last: int) -> list[list[int]]:
    batches: list[list[int]] = []
    while not batches or batches[-1][-1] < last:
        batches.append(numbers(await reader.next(HOUR)))
    return batches


async def flooded(turn: Turn, reader: Reader) -> list[list[int]]:
    """What is read of a flood, which is over then."""
    flooding = asyncio.create_task(flood(turn))
    batches = await read_until(reader, MANY - 1)
    await flooding
    return batches


async def test_a_flood_is_read_in_big_pieces_and_in_order() -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as reader:
        batches = await flooded(turn, reader)
    assert [number for batch in batches for number in batch] == list(range(MANY))
    # One for each time the loop went round would be 2,000, one for every twelve 167.
    assert len(batches) < 120


async def test_after_a_flood_a_lone_chunk_does_not_wait_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as reader:
        await flooded(turn, reader)
        monkeypatch.setattr(turns, "FLOOD_SECONDS", HOUR)
        for number in range(MANY, MANY + 10):
            waiting = asyncio.create_task(reader.next(HOUR))
            await asyncio.sleep(0.01)
            turn.put([chunk(number)])
            assert numbers(await waiting) == [number]


@pytest.mark.parametrize("closing", [[], [chunk(MANY)]])
async def test_the_end_of_a_turn_does_not_wait_for_more(
    closing: list[AnyChunk], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as reader:
        await flooded(turn, reader)
        # As on a loop that is very busy: the next write would wait for chunks that never come.
        monkeypatch.setattr(turns, "FLOOD_SECONDS", HOUR)
        monkeypatch.setattr(reader, "_round", HOUR)
        monkeypatch.setattr(reader, "_is_flooded", True)
        waiting = asyncio.create_task(reader.next(HOUR))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        turn.end(closing)
        assert await waiting == (closing or None)
        assert await reader.next(HOUR) is None and reader.is_done


async def test_who_reads_slowly_holds_back_nobody_who_reads_along() -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as quick, reading(turn) as slow:
        flooding = asyncio.create_task(flood(turn))
        first = numbers(await slow.next(HOUR))
        batches = await read_until(quick, MANY - 1)
        await flooding
        assert [number for batch in batches for number in batch] == list(range(MANY))
        rest = await read_until(slow, MANY - 1)
        assert first + [number for batch in rest for number in batch] == list(range(MANY))


async def test_nothing_for_long_is_an_empty_piece_also_after_a_flood() -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as reader:
        await flooded(turn, reader)
        assert await reader.next(0.01) == []
        assert await reader.next(0.01) == []


async def test_a_reader_that_is_cancelled_in_a_flood_can_read_on() -> None:
    turn = Turn("r", ChatId("app", "u", "c"))
    async with reading(turn) as reader:
        flooding = asyncio.create_task(flood(turn))
        read = await read_until(reader, 500)
        waiting = asyncio.create_task(reader.next(HOUR))
        await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            read.append(numbers(await waiting))
        read += await read_until(reader, MANY - 1)
        await flooding
    assert [number for batch in read for number in batch] == list(range(MANY))
