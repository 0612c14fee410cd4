"""ChatCalls: which calls of a chat run or wait in this process."""

import asyncio

import pytest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol.adk import chat_calls
from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.approvals.record import State
from tests.support.records import record


def pay() -> None:
    """Pay."""


TOOLS: dict[str, BaseTool] = {"pay": FunctionTool(pay)}


async def test_whoever_waits_for_the_end_of_all_calls_waits_for_the_last() -> None:
    calls = ChatCalls()
    await calls.none_running()
    calls.begin("a")
    calls.begin("b")
    waiting = asyncio.create_task(calls.none_running())
    await asyncio.sleep(0)
    calls.end("a")
    await asyncio.sleep(0)
    assert not waiting.done() and calls.is_running("b") and not calls.is_running("a")
    calls.end("b")
    await asyncio.wait_for(waiting, 60)


def test_a_call_that_nobody_began_ends_without_a_word() -> None:
    calls = ChatCalls()
    calls.end("a")
    assert not calls.is_running("a")


def test_a_call_that_waits_is_woken_and_starts_if_it_was_approved() -> None:
    calls = ChatCalls()
    approved, denied = record(state=State.APPROVED), record(state=State.DENIED)
    for one in (approved, denied):
        calls.waiting[one.id] = asyncio.Event()
        assert calls.wake(one) and calls.waiting[one.id].is_set()
    assert calls.is_running(approved.id) and not calls.is_running(denied.id)
    assert not calls.wake(record())


def test_a_call_looks_when_another_worker_has_settled_it() -> None:
    calls, one = ChatCalls(), record()
    calls.waiting[one.id] = asyncio.Event()
    calls.look("another")
    assert not calls.waiting[one.id].is_set()
    calls.look(one.id)
    assert calls.waiting[one.id].is_set()


def test_only_an_approved_record_is_kept_for_its_start() -> None:
    calls = ChatCalls()
    calls.hold(record())
    approved = record(state=State.APPROVED)
    calls.hold(approved)
    assert calls.held == {(approved.chat_id, approved.call_id): approved}


def test_the_tools_of_the_oldest_responses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_calls, "MAX_REMEMBERED", 2)
    calls = ChatCalls()
    for invocation in ("i1", "i2", "i1", "i3"):
        calls.remember_tools(invocation, "clerk", TOOLS)
    assert calls.tools_of("i2", "clerk") == {}
    assert calls.tools_of("i1", "clerk") == calls.tools_of("i3", "clerk") == TOOLS
