"""Live connections that end, are resumed or begin with a history; chats that change transports."""

import gc
from contextlib import aclosing
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import errors, types

from adk_stream_protocol.testing import ScriptedModel
from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.dialogue import Dialogue
from adk_stream_protocol.testing.live.resumption import Dialogues
from tests.support.conversations.live_conversation import (
    RESUMABLE,
    TEXT,
    LiveConversation,
    echoed,
    merged,
)
from tests.support.polite_model import polite_model

BOTH = pytest.mark.parametrize("at_once", [True, False])


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


def browser(who: str) -> None:
    """Runs elsewhere; the test hands in its result."""


def chat(config: RunConfig = TEXT, *tools: FunctionTool, at_once: bool = True) -> LiveConversation:
    model = polite_model(live_calls_at_once=at_once)
    return LiveConversation(LlmAgent(name="root", model=model, tools=[add, *tools]), config)


def contents(line: str) -> list[Any]:
    """The texts, calls and results in the answer to `/echo`."""
    parts = [part for content in echoed(line)["contents"] for part in content["parts"]]
    return [part.get("text") or next(iter(part)) for part in parts]


async def test_a_connection_that_can_be_resumed_offers_handles() -> None:
    async with chat(RESUMABLE) as talk:
        assert await talk.turn("/say 1") == [
            "handle",
            "partial text '1 '",
            "usage",
            "text '1 '",
            "turn_complete",
        ]
        assert (await talk.turn("/say 1"))[0] == "handle"
    updates = [u for event in talk.events if (u := event.live_session_resumption_update)]
    assert len({update.new_handle for update in updates}) == 2
    assert all(update.resumable for update in updates)


async def test_after_goaway_the_answer_and_the_dialogue_go_on() -> None:
    async with chat(RESUMABLE) as talk:
        assert await talk.turn("/say 1\n/goaway\n/say 2") == [
            "handle",
            "partial text '1 '",
            "handle",
            "partial text '1 '",
            "partial text '2 '",
            "usage",
            "text '1 2 '",
            "turn_complete",
        ]
        assert contents(merged(await talk.turn("/echo"))[2]) == [
            "/say 1\n/goaway\n/say 2",
            "1 1 2 ",
            "/echo",
        ]
        assert len({e.live_session_id for e in talk.events if e.turn_complete or e.partial}) == 2


async def test_after_goaway_without_a_handle_all_is_forgotten() -> None:
    async with chat() as talk:
        talk.send("/say 1\n/goaway\n/say 2")
        await talk.until("partial")
        assert contents(merged(await talk.turn("/echo"))[1]) == ["/echo"]


async def test_the_connection_ends_with_its_goaway() -> None:
    async with polite_model().connect(LlmRequest()) as connection:
        message = types.Content(role="user", parts=[types.Part(text="/goaway\n/say 1")])
        await connection.send_content(message)
        received = [response async for response in connection.receive()]
    assert [response.go_away is not None for response in received] == [True]


async def test_calls_stay_open_over_a_goaway() -> None:
    async with chat(RESUMABLE, LongRunningFunctionTool(browser)) as talk:
        talk.send('/call browser {"who": "Alice"}\n/then\n/say 2')
        await talk.until("call")
        talk.send("/goaway")
        assert await talk.until("turn_complete") == ["handle", "usage", "turn_complete"]
        talk.give("browser#1", {"n": 1})
        assert merged(await talk.until("turn_complete")) == [
            "handle",
            "usage",
            "text '1 2 '",
            "turn_complete",
        ]


async def test_after_a_lost_link_the_answer_goes_on() -> None:
    async with chat(RESUMABLE) as talk:
        assert await talk.turn("/drop 2\n/say 1") == [
            "handle",
            "partial text '1 '",
            "partial text '2 '",
            "handle",
            "partial text '1 '",
            "usage",
            "text '1 '",
            "turn_complete",
        ]


@BOTH
async def test_a_lost_link_without_a_handle_ends_the_run(at_once: bool) -> None:
    talk = chat(at_once=at_once)
    async with talk:
        talk.send("/drop 1\n/say 2")
        assert await talk.until("partial") == ["partial text '1 '"]
        with pytest.raises(errors.APIError) as caught:
            await talk.until("end")
        assert caught.value.code == 1006
    async with talk:
        assert merged(await talk.until("turn_complete"))[1] == "text '1 1 2 '"


def resuming(handle: str | None) -> LlmRequest:
    request = LlmRequest()
    resumption = types.SessionResumptionConfig(handle=handle)
    request.live_connect_config.session_resumption = resumption
    return request


async def handle_of(model: ScriptedModel, request: LlmRequest) -> str:
    async with model.connect(request) as connection, aclosing(connection.receive()) as responses:
        update = (await anext(responses)).live_session_resumption_update
    return (update and update.new_handle) or ""


async def test_any_handle_of_a_dialogue_resumes_it() -> None:
    model = polite_model()
    first = await handle_of(model, resuming(None))
    second = await handle_of(model, resuming(first))
    assert len({first, second, await handle_of(model, resuming(first))}) == 3


async def test_an_unknown_handle_is_refused() -> None:
    with pytest.raises(errors.APIError) as caught:
        await handle_of(ScriptedModel(), resuming("gone.1"))
    assert caught.value.code == 1008


def test_only_the_last_dialogues_are_remembered() -> None:
    config = LiveConfig.of(LlmRequest(), calls_at_once=True, parallel_calls=None)
    dialogues, going_on = Dialogues(most=2), Dialogue(config)
    first = dialogues.handle_for(going_on)
    handles = [dialogues.handle_for(Dialogue(config)) for _ in range(3)]
    gc.collect()
    assert dialogues.find(first) is going_on
    assert all(dialogues.find(handle) for handle in handles[1:])
    with pytest.raises(errors.APIError):
        dialogues.find(handles[0])


@BOTH
async def test_a_history_that_is_answered_needs_no_answer(at_once: bool) -> None:
    talk = chat(at_once=at_once)
    async with talk:
        await talk.turn("/say 1")
        await talk.end()
    async with talk:
        assert merged(await talk.turn("Thanks"))[1] == "text 'You are welcome!'"
        assert await talk.end() == ["end"]


@BOTH
async def test_a_chat_may_change_its_transport_at_any_turn(at_once: bool) -> None:
    talk = chat(at_once=at_once)
    assert await talk.ask("Thanks") == "You are welcome!"
    async with talk:
        lines = await talk.turn('/call add {"a": 1, "b": 2}\n/then\n/say 1')
        if not at_once:
            lines += await talk.until("turn_complete")
        assert "text '1 '" in lines
        await talk.end()
    assert await talk.ask('/call add {"a": 1, "b": 2}\n/then\n/say 2') == "1 2 "
    assert await talk.ask("Hello") == "Hello! What can I do for you?"
    async with talk:
        said = contents(merged(await talk.turn("/echo"))[1])
    assert [text for text in said if not text.startswith(("For context", "[root]"))] == [
        "Thanks",
        "You are welcome!",
        '/call add {"a": 1, "b": 2}\n/then\n/say 1',
        '/call add {"a": 1, "b": 2}\n/then\n/say 2',
        "function_call",
        "function_response",
        "1 2 ",
        "Hello",
        "Hello! What can I do for you?",
        "/echo",
    ]


async def test_a_script_goes_on_over_another_transport() -> None:
    talk = chat(RESUMABLE, LongRunningFunctionTool(browser))
    script = '/call browser {"who": "Alice"}\n/call add {"a": 1, "b": 2}\n/then\n/say 3'
    async with talk:
        talk.send(script)
        await talk.until("call")
        await talk.end()
    result = types.FunctionResponse(name="browser", response={"n": 1}, id=talk.id_of("browser#1"))
    await talk.store(result)
    async with talk:
        assert merged(await talk.until("turn_complete")) == [
            "handle",
            'call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
            "usage",
            "text '1 2 3 '",
            "turn_complete",
        ]


async def test_another_agent_carries_on_with_the_script() -> None:
    helper = LlmAgent(name="helper", model=polite_model())
    root = LlmAgent(name="root", model=polite_model(), sub_agents=[helper])
    async with LiveConversation(root, RESUMABLE) as talk:
        script = '/call transfer_to_agent {"agent_name": "helper"}\n/then\n/say 2'
        assert merged(await talk.turn(script))[-2:] == ["text '1 2 '", "turn_complete"]
        assert talk.events[-1].author == "helper"
        assert merged(await talk.turn("Thanks"))[-2:] == [
            "text 'You are welcome!'",
            "turn_complete",
        ]
