"""Function calls in ADK's `run_live`: both families of models, one by one and together."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import types

from adk_stream_protocol.testing import ScriptedModel
from tests.support.conversations.live_conversation import LiveConversation, merged
from tests.support.polite_model import POLITE, polite_model

Receive = Callable[[], AsyncGenerator[types.LiveServerMessage, None]]

TWO = '/call add {"a": 1, "b": 2}\n/call add {"a": 3, "b": 4}'
BOTH = 'The call of add returned {"sum": 3}, and the call of add returned {"sum": 7}.'
ASKED = '/call ask {"who": "Alice"}\n/call ask {"who": "Bob"}'


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


def browser(who: str) -> None:
    """Runs elsewhere; the test hands in its result."""


class Desk:
    """A tool that is answered by the test, like a human."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[str]] = {}

    async def ask(self, who: str) -> dict[str, Any]:
        """Ask somebody."""
        return {who: await self._answer(who)}

    def reply(self, who: str, answer: str) -> None:
        self._answer(who).set_result(answer)

    def _answer(self, who: str) -> asyncio.Future[str]:
        return self._answers.setdefault(who, asyncio.get_running_loop().create_future())


def chat(
    *tools: FunctionTool, model: ScriptedModel | None = None, **options: Any
) -> LiveConversation:
    model = model or polite_model(**options)
    return LiveConversation(LlmAgent(name="root", model=model, tools=[add, *tools]))


def non_blocking(tool: FunctionTool) -> FunctionTool:
    tool.behavior = types.Behavior.NON_BLOCKING
    return tool


async def test_calls_at_once_one_by_one() -> None:
    async with chat() as talk:
        assert merged(await talk.turn(f"/say 1\n{TWO}")) == [
            "text '1 '",
            'call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
            'call add#2 {"a": 3, "b": 4}',
            'result add#2 {"sum": 7}',
            "usage",
            f"text '{BOTH}'",
            "turn_complete",
        ]


async def test_calls_at_once_together() -> None:
    async with chat(live_parallel_calls=True) as talk:
        assert merged(await talk.turn(f"/say 1\n{TWO}")) == [
            "text '1 '",
            'call add#1 {"a": 1, "b": 2}; call add#2 {"a": 3, "b": 4}',
            'result add#1 {"sum": 3}; result add#2 {"sum": 7}',
            "usage",
            f"text '{BOTH}'",
            "turn_complete",
        ]


async def test_calls_at_the_end_of_the_turn_one_by_one() -> None:
    async with chat(live_calls_at_once=False) as talk:
        turns = [merged(await talk.turn(f"/say 1\n{TWO}"))]
        turns += [merged(await talk.until("turn_complete")) for _ in range(2)]
    assert turns == [
        [
            "text '1 '",
            "usage",
            'call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
            "turn_complete",
        ],
        ["usage", 'call add#2 {"a": 3, "b": 4}', 'result add#2 {"sum": 7}', "turn_complete"],
        ["usage", f"text '{BOTH}'", "turn_complete"],
    ]


async def test_calls_at_the_end_of_the_turn_together() -> None:
    async with chat(live_calls_at_once=False, live_parallel_calls=True) as talk:
        assert await talk.turn(TWO) == [
            "usage",
            'call add#1 {"a": 1, "b": 2}; call add#2 {"a": 3, "b": 4}',
            'result add#1 {"sum": 3}; result add#2 {"sum": 7}',
            "turn_complete",
        ]
        answer = merged(await talk.until("turn_complete"))
        assert answer == ["usage", f"text '{BOTH}'", "turn_complete"]


async def test_then_waits_for_the_results() -> None:
    one, two = TWO.split("\n")
    async with chat() as talk:
        assert merged(await talk.turn(f"{one}\n/then\n/say 1\n{two}\n/then\n/say 2")) == [
            'call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
            "text '1 '",
            'call add#2 {"a": 3, "b": 4}',
            'result add#2 {"sum": 7}',
            "usage",
            "text '1 2 '",
            "turn_complete",
        ]


async def test_an_unknown_tool_is_reported() -> None:
    async with chat() as talk:
        assert "text 'The call of nothing failed (" in "\n".join(await talk.turn("/call nothing"))


async def test_tools_that_are_declared_non_blocking_are_called_together() -> None:
    desk = Desk()
    async with chat(non_blocking(FunctionTool(desk.ask))) as talk:
        talk.send(ASKED)
        assert await talk.until("call") == [
            'call ask#1 {"who": "Alice"}; call ask#2 {"who": "Bob"}',
        ]
        desk.reply("Bob", "no")
        assert await talk.until("result") == ['result ask#2 {"Bob": "no"}']
        desk.reply("Alice", "yes")
        assert merged(await talk.until("turn_complete")) == [
            'result ask#1 {"Alice": "yes"}',
            "usage",
            'text \'The call of ask returned {"Alice": "yes"}, '
            'and the call of ask returned {"Bob": "no"}.\'',
            "turn_complete",
        ]


async def test_a_model_that_is_not_told_calls_one_by_one() -> None:
    desk = Desk()
    tool = non_blocking(FunctionTool(desk.ask))
    async with chat(tool, live_parallel_calls=False) as talk:
        talk.send(ASKED)
        assert await talk.until("call") == ['call ask#1 {"who": "Alice"}']
        desk.reply("Alice", "yes")
        assert await talk.until("call") == [
            'result ask#1 {"Alice": "yes"}',
            'call ask#2 {"who": "Bob"}',
        ]
        desk.reply("Bob", "no")
        assert (await talk.until("turn_complete"))[0] == 'result ask#2 {"Bob": "no"}'


async def test_non_blocking_calls_do_not_hold_up_a_blocking_one() -> None:
    desk = Desk()
    async with chat(non_blocking(FunctionTool(desk.ask))) as talk:
        talk.send(f'/call ask {{"who": "Alice"}}\n{TWO}')
        assert await talk.until("result") == [
            'call ask#1 {"who": "Alice"}; call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
        ]
        desk.reply("Alice", "yes")
        assert await talk.until("result add#2") == [
            'result ask#1 {"Alice": "yes"}',
            'call add#2 {"a": 3, "b": 4}',
            'result add#2 {"sum": 7}',
        ]


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_message_is_answered_while_a_call_is_open(at_once: bool) -> None:
    desk = Desk()
    tool = non_blocking(FunctionTool(desk.ask))
    async with chat(tool, live_calls_at_once=at_once) as talk:
        talk.send('/call ask {"who": "Alice"}\n/then\n/say 2')
        await talk.until("call" if at_once else "turn_complete")
        thanks = ["usage", "text 'You are welcome!'", "turn_complete"]
        assert merged(await talk.turn("Thanks")) == thanks
        desk.reply("Alice", "yes")
        assert merged(await talk.until("turn_complete")) == [
            'result ask#1 {"Alice": "yes"}',
            "usage",
            "text '1 2 '",
            "turn_complete",
        ]
        assert merged(await talk.turn("Thanks")) == thanks


async def test_calls_for_two_messages_are_kept_apart() -> None:
    desk = Desk()
    async with chat(non_blocking(FunctionTool(desk.ask))) as talk:
        talk.send('/call ask {"who": "Alice"}\n/then\n/say 1')
        await talk.until("call")
        talk.send('/call ask {"who": "Bob"}\n/then\n/say 2')
        await talk.until("call")
        desk.reply("Alice", "yes")
        assert merged(await talk.until("turn_complete"))[-2:] == ["text '1 '", "turn_complete"]
        desk.reply("Bob", "no")
        assert merged(await talk.until("turn_complete"))[-2:] == ["text '1 2 '", "turn_complete"]


async def test_the_model_may_talk_while_its_call_is_open() -> None:
    desk = Desk()
    async with chat(non_blocking(FunctionTool(desk.ask))) as talk:
        talk.send('/call ask {"who": "Alice"}\n/say 2')
        assert await talk.until("partial text '2 '") == [
            'call ask#1 {"who": "Alice"}',
            "partial text '1 '",
            "partial text '2 '",
        ]
        desk.reply("Alice", "yes")
        assert await talk.until("result") == ['result ask#1 {"Alice": "yes"}']


async def test_results_of_a_browser_are_matched_by_id() -> None:
    async with chat(LongRunningFunctionTool(browser), live_parallel_calls=True) as talk:
        talk.send('/call browser {"who": "Alice"}\n/call browser {"who": "Bob"}')
        await talk.until("call")
        talk.give("browser#2", {"n": 2})
        talk.give("browser#1", {"n": 1})
        assert merged(await talk.until("turn_complete"))[1] == (
            'text \'The call of browser returned {"n": 1},'
            ' and the call of browser returned {"n": 2}.\''
        )
        talk.give("browser#2", {"n": 3})
        assert merged(await talk.until("turn_complete"))[1] == (
            'text \'The call of browser returned {"n": 1},'
            ' and the call of browser returned {"n": 3}.\''
        )


async def test_a_result_may_come_in_parts_and_in_silence() -> None:
    silent = types.FunctionResponseScheduling.SILENT
    async with chat(LongRunningFunctionTool(browser)) as talk:
        talk.send('/call browser {"who": "Alice"}')
        await talk.until("call")
        talk.give("browser#1", {"n": 1}, will_continue=True)
        assert "text 'You are welcome!'" in await talk.turn("Thanks")
        talk.give("browser#1", {"n": 2}, scheduling=silent)
        assert "text 'You are welcome!'" in await talk.turn("Thanks")
        talk.give("browser#1", {"n": 3}, scheduling=types.FunctionResponseScheduling.WHEN_IDLE)
        assert merged(await talk.until("turn_complete"))[1] == (
            "text 'The call of browser returned {\"n\": 3}.'"
        )


async def test_a_result_of_no_call_is_ignored() -> None:
    async with chat() as talk:
        talk.give("nothing", {"n": 1})
        assert merged(await talk.turn("Thanks"))[1] == "text 'You are welcome!'"


class Tap(ScriptedModel):
    """A model whose messages are looked at on their way to ADK, as one would with a real one."""

    withdrawn: list[str] = []

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncGenerator[BaseLlmConnection, None]:
        async with super().connect(llm_request) as connection:
            session = cast(Any, connection)._gemini_session
            session.receive = self._tapped(session.receive)
            yield connection

    def _tapped(self, receive: Receive) -> Receive:
        async def tapped() -> AsyncGenerator[types.LiveServerMessage, None]:
            async for message in receive():
                if message.tool_call_cancellation is not None:
                    self.withdrawn.extend(message.tool_call_cancellation.ids or [])
                yield message

        return tapped


async def test_withdrawn_calls_are_named_and_their_results_ignored() -> None:
    model = Tap(script=POLITE, live_parallel_calls=True)
    async with chat(LongRunningFunctionTool(browser), model=model) as talk:
        talk.send('/call browser {"who": "Alice"}\n/call browser {"who": "Bob"}')
        await talk.until("call")
        assert merged(await talk.turn("/withdraw\n/say 1"))[1:] == ["text '1 '", "turn_complete"]
        assert model.withdrawn == [talk.id_of("browser#1"), talk.id_of("browser#2")]
        talk.give("browser#1", {"n": 1})
        talk.give("browser#2", {"n": 2})
        assert merged(await talk.turn("Thanks"))[1] == "text 'You are welcome!'"


async def test_the_model_may_withdraw_a_call_in_the_same_turn() -> None:
    model = Tap()
    async with chat(LongRunningFunctionTool(browser), model=model) as talk:
        lines = await talk.turn('/call browser {"who": "Alice"}\n/hang 0.01\n/withdraw\n/say 1')
        assert merged(lines)[-2:] == ["text '1 '", "turn_complete"]
        assert model.withdrawn == [talk.id_of("browser#1")]
