"""The scripted model on a real ADK runner: what each directive makes an agent yield."""

import asyncio
import json
import struct
import zlib
from typing import Any

import httpx
import pytest
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.genai import errors, types

from adk_stream_protocol.testing import ScriptedModel
from tests.support.conversations.conversation import Conversation, parts_of
from tests.support.polite_model import polite_model


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


def chat(*, streaming: bool = True) -> Conversation:
    agent = LlmAgent(name="root", model=polite_model(), instruction="Be kind.", tools=[add])
    return Conversation(agent, streaming=streaming)


async def test_deltas_come_one_by_one_and_then_as_a_whole() -> None:
    talk = chat()
    assert await talk.say("/say 3") == "1 2 3 "
    streamed = [e for e in talk.events if e.partial]
    assert [part.text for event in streamed for part in parts_of(event)] == ["1 ", "2 ", "3 "]
    (whole,) = [e for e in talk.events if e.partial is False]
    for event in (streamed[-1], whole):
        assert event.finish_reason == types.FinishReason.STOP
        assert event.model_version == "scripted-1"
        assert event.usage_metadata == types.GenerateContentResponseUsageMetadata(
            prompt_token_count=2, candidates_token_count=2, total_token_count=4
        )
    assert [event.finish_reason for event in streamed[:-1]] == [None, None]
    assert {event.id for event in streamed} == {whole.id}


async def test_without_streaming_there_is_one_response() -> None:
    talk = chat(streaming=False)
    assert await talk.say("/think well, well\n/say 3") == "1 2 3 "
    said = [event for event in talk.events if parts_of(event)]
    assert [(event.partial, len(parts_of(event))) for event in said] == [(None, 2)]
    assert said[0].finish_reason == types.FinishReason.STOP


async def test_reasoning_is_marked_and_streamed() -> None:
    talk = chat()
    assert await talk.say("/think one two\n/say 1") == "1 "
    streamed = [(part.text, part.thought) for part in talk.partials()]
    assert streamed == [("one ", True), ("two", True), ("1 ", None)]
    (whole,) = [parts_of(e) for e in talk.events if e.partial is False]
    assert [(p.text, p.thought) for p in whole] == [("one two", True), ("1 ", None)]


async def test_reasoning_alone_is_followed_by_a_word() -> None:
    talk = chat()
    assert await talk.say("/think one two") == "Done."
    assert not any(event.error_code for event in talk.events)


async def test_calls_are_parallel_and_a_sentence_follows() -> None:
    talk = chat()
    answer = await talk.say('/call add {"a": 1, "b": 2}\n/call add {"a": 3, "b": 4}')
    (asked,) = [e for e in talk.events if e.get_function_calls() and not e.partial]
    assert [call.args for call in asked.get_function_calls()] == [
        {"a": 1, "b": 2},
        {"a": 3, "b": 4},
    ]
    assert talk.results() == [{"sum": 3}, {"sum": 7}]
    assert answer == 'The call of add returned {"sum": 3}, and the call of add returned {"sum": 7}.'


async def test_calls_have_the_same_ids_in_the_delta_and_in_the_whole() -> None:
    talk = chat()
    await talk.say('/call add {"a": 1, "b": 2}')
    (streamed,) = [part.function_call for part in talk.partials() if part.function_call]
    (whole,) = talk.calls("add")
    assert streamed == whole
    assert (whole.id or "").startswith("adk-")


async def test_then_waits_for_the_results_and_the_script_ends_at_its_end() -> None:
    talk = chat()
    one, two = '/call add {"a": 1, "b": 2}', '/call add {"a": 3, "b": 4}'
    assert await talk.say(f"{one}\n/then\n/say 1\n{two}\n/then\n/say 2") == "1 1 2 "
    order = [
        "call" if event.get_function_calls() else "result"
        for event in talk.events
        if not event.partial and (event.get_function_calls() or event.get_function_responses())
    ]
    assert order == ["call", "result", "call", "result"]
    assert await talk.say("Thanks") == "You are welcome!"


async def test_a_turn_without_calls_ends_the_script() -> None:
    assert await chat().say("/say 1\n/then\n/say 2") == "1 "


async def test_an_unknown_tool_is_reported() -> None:
    assert (await chat().say("/call nothing")).startswith("The call of nothing failed (")


async def test_other_agents_carry_on_with_the_script() -> None:
    helper = LlmAgent(name="helper", model=polite_model())
    root = LlmAgent(name="root", model=polite_model(), sub_agents=[helper])
    talk = Conversation(root)
    script = '/call transfer_to_agent {"agent_name": "helper"}\n/then\n/say 2'
    assert await talk.say(script) == "1 2 "
    assert [e.author for e in talk.events if e.partial is False] == ["root", "helper"]


async def test_echo_lists_the_context() -> None:
    talk = chat()
    await talk.say('/call add {"a": 1, "b": 2}')
    context = json.loads(await talk.say("/echo"))
    assert context["tools"] == ["add"]
    assert context["system_instruction"].startswith("Be kind.")
    assert [content["role"] for content in context["contents"]] == [
        "user",
        "model",
        "user",
        "model",
        "user",
    ]
    called, returned = (context["contents"][n]["parts"] for n in (1, 2))
    arguments = {"name": "add", "args": {"a": 1, "b": 2}, "id": None}
    assert called == [{"function_call": arguments}]
    result = {"name": "add", "response": {"sum": 3}, "id": None}
    assert returned == [{"function_response": result}]


@pytest.mark.parametrize(
    ("code", "kind", "status"),
    [
        ("400", errors.ClientError, "INVALID_ARGUMENT"),
        ("429", errors.ClientError, "RESOURCE_EXHAUSTED"),
        ("500", errors.ServerError, "INTERNAL"),
        ("503", errors.ServerError, "UNAVAILABLE"),
        ("unavailable", errors.ServerError, "UNAVAILABLE"),
        ("418", errors.ClientError, "UNKNOWN"),
    ],
)
async def test_a_status_breaks_the_answer_off(
    code: str, kind: type[errors.APIError], status: str
) -> None:
    talk = chat()
    with pytest.raises(kind) as caught:
        await talk.say(f"/say 2\n/error {code}\n/say 2")
    assert caught.value.status == status
    assert [part.text for part in talk.partials()] == ["1 ", "2 "]
    assert talk.events[-1].error_code is not None


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("SAFETY", "SAFETY"),
        ("max_tokens", "MAX_TOKENS"),
        ("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("whatever", "OTHER"),
    ],
)
async def test_a_finish_reason_ends_the_answer_and_keeps_its_text(code: str, reason: str) -> None:
    talk = chat()
    assert await talk.say(f"/say 2\n/error {code}\n/say 2") == "1 2 "
    (whole,) = [event for event in talk.events if event.partial is False]
    assert (whole.error_code, whole.finish_reason) == (reason, types.FinishReason[reason])
    assert whole.error_message == f"The scripted model stopped: {reason}."


async def test_without_streaming_a_finish_reason_with_text_is_no_error() -> None:
    talk = chat(streaming=False)
    assert await talk.say("/say 2\n/error MAX_TOKENS") == "1 2 "
    assert talk.events[0].finish_reason == types.FinishReason.MAX_TOKENS
    assert talk.events[0].error_code is None


async def test_drop_breaks_the_link() -> None:
    talk = chat()
    with pytest.raises(httpx.RemoteProtocolError):
        await talk.say("/drop 2")
    assert [part.text for part in talk.partials()] == ["1 ", "2 "]


async def test_hang_is_silent_for_as_long_as_asked() -> None:
    clock = asyncio.get_running_loop().time
    start = clock()
    assert await chat().say("/say 1\n/hang 0.2\n/say 1") == "1 1 "
    assert clock() - start >= 0.2


@pytest.mark.parametrize("is_early", [True, False], ids=["before it begins", "while it lasts"])
async def test_a_silence_lasts_until_it_is_released(is_early: bool) -> None:
    name, talk = f"silence-{is_early}", chat()
    if is_early:
        assert await chat().say(f"/release {name}") == "Done."
    held = asyncio.create_task(talk.say(f"/say 1\n/hold {name}\n/say 1"))
    if not is_early:
        assert await chat().say(f"/release {name}-not\n/say 1") == "1 "
        assert not held.done()
        assert await chat().say(f"/release {name}\n/say 1") == "1 "
    async with asyncio.timeout(60):
        assert await held == "1 1 "


async def test_a_hanging_model_can_be_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await chat().say("/hang 60")


async def test_the_image_is_a_png_once_streamed_and_once_in_the_whole() -> None:
    talk = chat()
    await talk.say("/say 1\n/image")
    (streamed,) = [part.inline_data for part in talk.partials() if part.inline_data]
    (whole,) = [event for event in talk.events if event.partial is False]
    assert [part.text or part.inline_data for part in parts_of(whole)] == ["1 ", streamed]
    assert streamed.mime_type == "image/png"
    assert_png(streamed.data or b"")


def assert_png(data: bytes) -> None:
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    pixels, rest = b"", data[8:]
    while rest:
        (size,) = struct.unpack(">I", rest[:4])
        body, checksum, rest = rest[4 : 8 + size], rest[8 + size : 12 + size], rest[12 + size :]
        assert struct.pack(">I", zlib.crc32(body)) == checksum
        pixels += body[4:] if body.startswith(b"IDAT") else b""
    assert len(zlib.decompress(pixels)) == 16 * (1 + 16 * 3)


@pytest.mark.parametrize("line", ["/goaway", "/interrupt", "/withdraw"])
async def test_live_directives_do_nothing_in_request_mode(line: str) -> None:
    assert await chat().say(f"{line}\n/say 1") == "1 "


async def test_a_new_message_starts_a_new_script() -> None:
    talk = chat()
    for _ in range(2):
        answer = await talk.say('/call add {"a": 1, "b": 2}')
        assert answer == 'The call of add returned {"sum": 3}.'


async def test_delay_spreads_the_deltas() -> None:
    request = LlmRequest(contents=[types.Content(role="user", parts=[types.Part(text="/say 5")])])
    clock = asyncio.get_running_loop().time
    start = clock()
    responses = [
        response
        async for response in ScriptedModel(delay=0.02).generate_content_async(request, stream=True)
    ]
    assert len(responses) == 6
    assert clock() - start >= 0.1


async def test_other_tasks_run_between_the_deltas() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticker = asyncio.create_task(tick())
    request = LlmRequest(contents=[types.Content(role="user", parts=[types.Part(text="/say 20")])])
    seen = [ticks async for _ in ScriptedModel().generate_content_async(request, stream=True)]
    ticker.cancel()
    assert len(set(seen)) == 20
