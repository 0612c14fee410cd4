"""Old events are not read, or compacted: what is open is answered all the same, and runs once."""

from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.genai import types

from adk_stream_protocol import ClientTool
from adk_stream_protocol.convert.events import is_placeholder
from tests.support.clients.http import Json, output
from tests.support.servers.in_process import Served, clerk, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
LONG = f'/call look {{}}\n/then\n/call look {{}}\n/then\n{PAY}\n/call pay {{"amount": 6}}'
SUMMARY = "They have talked before."


def look() -> dict[str, bool]:
    """Look."""
    return {"seen": True}


class Summarizer(BaseEventsSummarizer):
    """Says the same of whatever it is given, and counts what it was given."""

    def __init__(self) -> None:
        self.summarized: list[Event] = []

    async def maybe_summarize_events(self, *, events: list[Event]) -> Event | None:
        self.summarized += events
        told = EventCompaction(
            start_timestamp=events[0].timestamp,
            end_timestamp=events[-1].timestamp,
            compacted_content=types.Content(role="model", parts=[types.Part(text=SUMMARY)]),
        )
        return Event(author="user", actions=EventActions(compaction=told))


def recent(events: int) -> Callable[[BaseAgent], Json]:
    def options(root: BaseAgent) -> Json:
        config = GetSessionConfig(num_recent_events=events)
        return {"run_config": _run_config(get_session_config=config)}

    return options


def of_today(root: BaseAgent) -> Json:
    config = GetSessionConfig(after_timestamp=4e9)  # nothing is as new as that
    return {"run_config": _run_config(get_session_config=config)}


def compacted(**when: int) -> Callable[[BaseAgent], Json]:
    def options(root: BaseAgent) -> Json:
        config = EventsCompactionConfig(summarizer=Summarizer(), **when)
        return {"root": App(name="clerk", root_agent=root, events_compaction_config=config)}

    return options


def _run_config(**fields: Any) -> RunConfig:
    return RunConfig(streaming_mode=StreamingMode.SSE, **fields)


WINDOWS = {
    "none": recent(0),
    "recent-1": recent(1),
    "recent-5": recent(5),
    "recent-50": recent(50),
    "after": of_today,
    "each-turn-compacted": compacted(compaction_interval=1, overlap_size=0),
    "compacted-by-size": compacted(token_threshold=1, event_retention_size=8),
}
windows = pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS.keys())


@asynccontextmanager
async def shortened(window: Callable[[BaseAgent], Json], *tools: Any, **more: Any):
    """An agent that remembers little of a chat that has been going on for a while."""
    root = clerk(*tools, look)
    given: Any = {"root": root, **window(root), **more}
    async with serving(**given) as served:
        for _ in range(4):
            assert (await served.say("/say 2")).said
        yield served


async def stored(served: Served) -> list[Json | None]:
    """The results of payments in the session, without ADK's placeholders."""
    found = [
        (event, answer)
        for event in await served.events()
        for answer in event.get_function_responses()
    ]
    return [
        answer.response
        for event, answer in found
        if answer.name == "pay" and not is_placeholder(event, answer.id or "")
    ]


@windows
async def test_an_old_request_is_answered_and_runs_once(window: Any) -> None:
    till = Till()
    async with shortened(window, till.tool()) as served:
        old, new = (await served.say(LONG)).approvals
        assert (await served.approve(new)).types[:2] == ["start", "tool-output-available"]
        reply = await served.approve(old)
        assert 'returned {"paid": 5}' in reply.said and 'returned {"paid": 6}' in reply.said
        for request in (old, new):
            await served.approve(request)
    assert till.paid == [6, 5]
    assert (await served.trail()).count("claim") == 2


@windows
async def test_an_old_browser_call_takes_its_result(window: Any) -> None:
    till, locate = Till(), ClientTool("locate", "Where?")
    async with shortened(window, till.tool(), locate) as served:
        asked = await served.say(f"/call look {{}}\n/then\n/call locate {{}}\n{PAY}")
        located = next(one["toolCallId"] for one in asked.chunks if one.get("toolName") == "locate")
        await served.approve(asked.approvals[0])
        reply = await served.answer(output(located, {"lat": 1}, "locate"))
        assert 'returned {"lat": 1}' in reply.said and 'returned {"paid": 5}' in reply.said
    assert till.paid == [5]


@pytest.mark.parametrize("window", ["recent-1", "recent-5", "after", "each-turn-compacted"])
@pytest.mark.parametrize("where", ["http", "socket", "elsewhere"])
async def test_a_parked_call_of_a_live_chat_is_answered(window: str, where: str) -> None:
    till = Till()
    async with shortened(WINDOWS[window], till.tool(), grace=0.01) as served:
        async with served.socket() as socket:
            await socket.say("/say 2")
            request = (await socket.say(f"/call look {{}}\n/then\n{PAY}")).approvals[0]
        await until(lambda: not served.is_live())
        await _approve(served, request, where)
        assert await served.states() == ["done"]
        assert await stored(served) == [{"paid": 5}]
    assert till.paid == [5]


async def _approve(served: Served, request: Json, where: str) -> None:
    if where == "http":
        assert 'returned {"paid": 5}' in (await served.approve(request)).said
    elif where == "socket":
        async with served.socket() as socket:
            assert 'returned {"paid": 5}' in (await socket.approve(request)).said
    else:
        await served.decide(request["approvalId"], True)
        await until(lambda: served.chat.running("alice", "c") is None)


@windows
async def test_the_next_message_cancels_what_is_old_and_open(window: Any) -> None:
    till = Till()
    async with shortened(window, till.tool()) as served:
        request = (await served.say(LONG)).approvals[0]
        await served.say("/say 1")
        assert await served.states() == ["cancelled", "cancelled"]
        assert (await served.approve(request)).status == 409
        await served.say("/say 1")
        assert (await served.approve(request)).status == 409
    assert till.paid == []


def message(text: str, name: str) -> Json:
    return {"id": name, "role": "user", "parts": [{"type": "text", "text": text}]}


async def seen(served: Served) -> list[str]:
    """The texts that the model sees now."""
    contents = (await served.context())["contents"]
    return [part["text"] for one in contents for part in one["parts"] if "text" in part]


@pytest.mark.parametrize("events", [6, 8, 10, 50])
async def test_what_was_taken_back_stays_so_in_a_window(events: int) -> None:
    async with shortened(recent(events)) as served:
        first = message("/call look {}\n/then\n/call look {}\n/then\n/say 1", "one")
        await served.post({"messages": [first]})
        await served.post({"messages": [message("two", "two")]})
        edited = {"messages": [message("three", "one")], "messageId": "one"}
        assert (await served.post(edited)).said
        texts = await seen(served)
    assert "three" in texts and "two" not in texts


@pytest.mark.parametrize("events", range(1, 9))
async def test_the_model_sees_whole_turns(events: int) -> None:
    async with shortened(recent(events)) as served:
        await served.say("/call look {}\n/then\n/call look {}")
        await served.say("/say 1")
        contents = (await served.context())["contents"]
    parts = [part for content in contents for part in content["parts"]]
    called = [part["function_call"]["id"] for part in parts if "function_call" in part]
    answered = [part["function_response"]["id"] for part in parts if "function_response" in part]
    assert "text" in parts[0] and contents[0]["role"] == "user"
    assert called == answered


@pytest.mark.parametrize("window", [recent(5), compacted(compaction_interval=2, overlap_size=0)])
async def test_a_database_keeps_the_whole_chat(window: Any, tmp_path: Path) -> None:
    till = Till()
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'sessions.db'}")
    async with shortened(window, till.tool(), session_service=service) as served:
        request = (await served.say(LONG)).approvals[0]
        await served.approve(request)
        found = await served.request("GET", "/api/chat/c/messages")
        roles = [message["role"] for message in found.json()]
    await service.close()
    assert roles == ["user", "assistant"] * 5
    assert till.paid == [5]


async def test_old_turns_are_compacted() -> None:
    async with shortened(compacted(compaction_interval=2, overlap_size=0)) as served:
        assert await seen(served) == [SUMMARY, SUMMARY, "/echo"]
