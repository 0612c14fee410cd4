"""The scripted model in ADK's `run_live`, answering in text: which events come, in which order."""

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.gemini_llm_connection import GeminiLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.genai import errors, types
from websockets.exceptions import ConnectionClosedOK

from tests.support.conversations.live_conversation import LiveConversation, echoed, merged
from tests.support.polite_model import polite_model


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


def chat(**options: Any) -> LiveConversation:
    model = polite_model(**options)
    return LiveConversation(LlmAgent(name="root", model=model, instruction="Be kind.", tools=[add]))


async def test_deltas_then_the_whole_then_the_end_of_the_turn() -> None:
    async with chat() as talk:
        assert await talk.turn("/say 3") == [
            "partial text '1 '",
            "partial text '2 '",
            "partial text '3 '",
            "usage",
            "text '1 2 3 '",
            "turn_complete",
        ]
        (used,) = [e.usage_metadata for e in talk.events if e.usage_metadata]
        assert (used.prompt_token_count, used.candidates_token_count) == (2, 2)
        assert used.total_token_count == 4
        assert len({event.live_session_id for event in talk.events}) == 1
        assert await talk.end() == ["end"]


async def test_reasoning_is_a_text_of_its_own() -> None:
    async with chat() as talk:
        assert await talk.turn("/think one two\n/say 1") == [
            "partial thought 'one '",
            "partial thought 'two'",
            "thought 'one two'",
            "partial text '1 '",
            "usage",
            "text '1 '",
            "turn_complete",
        ]


async def test_what_a_script_teaches_is_understood() -> None:
    async with chat() as talk:
        assert "text 'You are welcome!'" in await talk.turn("Thanks")


async def test_a_message_may_come_in_pieces() -> None:
    async with chat() as talk:
        first = types.Content(role="user", parts=[types.Part(text="/say 1")])
        talk.queue.send_content(first, partial=True)
        assert merged(await talk.turn("/say 1")) == ["usage", "text '1 1 '", "turn_complete"]


async def test_the_image_comes_once() -> None:
    async with chat() as talk:
        assert await talk.turn("/say 1\n/image") == [
            "partial text '1 '",
            "image/png",
            "usage",
            "text '1 '",
            "turn_complete",
        ]


async def test_echo_lists_the_dialogue() -> None:
    async with chat() as talk:
        await talk.turn('/think hm\n/say 2\n/call add {"a": 1, "b": 2}')
        context = echoed(merged(await talk.turn("/echo"))[1])
    call_id = talk.id_of("add#1")
    assert context["tools"] == ["add"]
    assert context["system_instruction"].startswith("Be kind.")
    assert [
        part["text"] if "text" in part else part
        for content in context["contents"]
        for part in content["parts"]
    ] == [
        '/think hm\n/say 2\n/call add {"a": 1, "b": 2}',
        "hm",
        "1 2 ",
        {"function_call": {"name": "add", "args": {"a": 1, "b": 2}, "id": call_id}},
        {"function_response": {"name": "add", "response": {"sum": 3}, "id": call_id}},
        'The call of add returned {"sum": 3}.',
        "/echo",
    ]


async def test_interrupt_ends_the_answer_in_its_middle() -> None:
    async with chat() as talk:
        assert await talk.turn("/say 1\n/interrupt\n/say 2") == [
            "partial text '1 '",
            "text '1 ' interrupted",
            "turn_complete",
        ]
        assert await talk.turn("/interrupt") == ["interrupted", "turn_complete"]
        assert "text '1 '" in await talk.turn("/say 1")


async def test_a_message_interrupts_the_answer_to_another() -> None:
    async with chat() as talk:
        talk.send("/say 1000")
        await talk.until("partial text '3 '")
        first = await talk.turn("Thanks")
        assert first[-1] == "turn_complete"
        (whole,) = merged(first)[:-1]
        said = whole.removeprefix("text '").removesuffix(" ' interrupted").split()
        assert said == [str(number) for number in range(1, len(said) + 1)]
        assert 3 <= len(said) < 1000
        answer = merged(await talk.until("turn_complete"))
        assert answer == ["usage", "text 'You are welcome!'", "turn_complete"]


@pytest.mark.parametrize("rest", ["", "\n/say 1"])
async def test_a_message_breaks_a_silence(rest: str) -> None:
    async with chat() as talk:
        talk.send(f"/say 1\n/hang 60{rest}")
        await talk.until("partial")
        assert await talk.turn("Thanks") == ["text '1 ' interrupted", "turn_complete"]
        assert "text 'You are welcome!'" in await talk.until("turn_complete")


async def test_silence_ends_by_itself() -> None:
    clock = asyncio.get_running_loop().time
    async with chat() as talk:
        start = clock()
        assert "text '1 1 '" in await talk.turn("/say 1\n/hang 0.2\n/say 1")
        assert clock() - start >= 0.2


async def test_a_silence_lasts_until_it_is_released() -> None:
    async with chat() as talk, chat() as other:
        talk.send("/say 1\n/hold live silence\n/say 1")
        await talk.until("partial")
        assert "text 'Done.'" in await other.turn("/release live silence")
        assert "text '1 1 '" in await talk.until("turn_complete")


@pytest.mark.parametrize("rest", ["", "\n/say 1"])
async def test_a_message_breaks_a_silence_that_is_held(rest: str) -> None:
    async with chat() as talk:
        talk.send(f"/say 1\n/hold for ever{rest}")
        await talk.until("partial")
        assert await talk.turn("Thanks") == ["text '1 ' interrupted", "turn_complete"]
        assert "text 'You are welcome!'" in await talk.until("turn_complete")


async def test_a_hanging_model_lets_the_chat_end() -> None:
    async with chat() as talk:
        talk.send("/say 1\n/hang 60")
        await talk.until("partial")
        assert await talk.end() == ["end"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [("429", errors.ClientError), ("503", errors.ServerError), ("internal", errors.ServerError)],
)
async def test_a_status_breaks_the_run_off(code: str, kind: type[errors.APIError]) -> None:
    async with chat() as talk:
        talk.send(f"/say 1\n/error {code}\n/say 1")
        assert await talk.until("partial") == ["partial text '1 '"]
        with pytest.raises(kind):
            await talk.until("end")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("BLOCKLIST", "BLOCKLIST"),
        ("SAFETY", "RESPONSE_REJECTED"),
        ("whatever", "RESPONSE_REJECTED"),
    ],
)
async def test_a_finish_reason_ends_the_turn(code: str, reason: str) -> None:
    async with chat() as talk:
        assert await talk.turn(f"/say 1\n/error {code}\n/say 1") == [
            "partial text '1 '",
            "text '1 '",
            f"turn_complete {reason}",
        ]
        assert "text '1 '" in await talk.turn("/say 1")


async def test_delay_spreads_the_deltas() -> None:
    clock = asyncio.get_running_loop().time
    async with chat(delay=0.02) as talk:
        start = clock()
        await talk.turn("/say 5")
        assert clock() - start >= 0.1


async def test_no_task_is_left_behind() -> None:
    before = asyncio.all_tasks()
    async with chat() as talk:
        await talk.turn("/say 1")
        await talk.end()
    async with chat() as talk:
        talk.send("/say 1\n/hang 60")
        await talk.until("partial")
    assert asyncio.all_tasks() == before


async def test_a_silent_connection_needs_no_task() -> None:
    before = asyncio.all_tasks()
    async with polite_model().connect(LlmRequest()) as connection:
        await connection.send_content(types.Content(parts=[types.Part(text="/say 1")]))
        assert asyncio.all_tasks() == before
        assert [response async for response in connection.receive()][-1].turn_complete


async def test_a_closed_connection_receives_nothing() -> None:
    async with polite_model().connect(LlmRequest()) as connection:
        assert isinstance(connection, GeminiLlmConnection)
        waiting = asyncio.create_task(anext(connection.receive(), None))
        for _ in range(2):
            await asyncio.sleep(0)
            await connection.close()
        async with asyncio.timeout(60):
            assert await waiting is None
            assert [response async for response in connection.receive()] == []
        with pytest.raises(ConnectionClosedOK):
            await connection.send_content(types.Content(parts=[types.Part(text="/say 1")]))
