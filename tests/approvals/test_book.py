"""The book of approval records: who waits for an answer hears of it."""

import asyncio

import pytest

from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.approvals import book as approvals
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.chat_id import ChatId

WHO = Principal("ann")


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits learns of the answer by being told, and in no other way."""
    monkeypatch.setattr(approvals, "LOOK_SECONDS", 3600.0)


async def asked(book: ApprovalBook) -> ApprovalRecord:
    return await book.ask(
        ChatId("app", "ann", "c"),
        "a1",
        call_id="call-1",
        invocation_id="i1",
        tool="pay",
        arguments={"amount": 1},
    )


async def test_who_waits_is_woken_by_the_answer() -> None:
    book, woken = ApprovalBook(MemoryApprovalStore()), asyncio.Event()
    book.on_settled(lambda settled: woken.set())
    record = await asked(book)
    async with asyncio.timeout(60):
        waiting = asyncio.create_task(book.answered(record, woken))
        await asyncio.sleep(0)
        await book.decide(record, WHO, True, None)
        assert (await waiting).state is State.APPROVED


@pytest.mark.parametrize("here", [True, False], ids=["here", "in another process"])
async def test_an_answer_that_comes_just_before_the_waiting_is_not_missed(here: bool) -> None:
    """The record was read, then decided, and only then is it waited for."""
    book = ApprovalBook(store := MemoryApprovalStore())
    record = await asked(book)
    await (book if here else ApprovalBook(store)).decide(record, WHO, True, None)
    async with asyncio.timeout(60):
        assert (await book.answered(record, asyncio.Event())).state is State.APPROVED
