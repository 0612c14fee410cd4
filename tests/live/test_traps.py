"""What ADK's live mode gets wrong by itself, one test or more per known trap."""

from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol import ClientTool
from tests.support.clients.http import Json, decision, output
from tests.support.databases.stores import FailingStore
from tests.support.servers.in_process import Served, clerk, responses, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
PAID = 'The call of pay returned {"paid": 5}.'
LOCATE = ClientTool("locate", "Where?")
LOOK = ClientTool("look", "See.", approval=True)


async def test_a_yes_and_a_browser_result_in_one_message_both_count() -> None:
    till = Till()
    agent = clerk(till.tool(), LOCATE)
    async with serving(agent, calls="parallel") as served, served.socket() as socket:
        asked = await socket.say(f"{PAY}\n/call locate {{}}")
        reply = await socket.answer(
            decision(asked.approvals[0], True, "pay"), output(asked.calls[1], {"lat": 1}, "locate")
        )
        assert sorted(reply.types).count("tool-output-available") == 2
        live = await socket.context()
        later = await served.context()
        for context in (live, later):
            assert responses(context) == [{"paid": 5}]
            assert responses(context, "locate") == [{"lat": 1}]


async def test_no_word_of_the_model_before_the_last_answer() -> None:
    till = Till()
    async with serving(clerk(till.tool()), calls="parallel") as served, served.socket() as socket:
        asked = await socket.say(f"{PAY}\n{PAY}")
        one, two = asked.approvals
        first = await socket.approve(two)
        assert first.types == ["start", "tool-output-available", "finish"]
        last = await socket.approve(one)
        assert last.said == f'{PAID[:-1]}, and the call of pay returned {{"paid": 5}}.'
    assert till.paid == [5, 5]


async def test_an_approved_browser_call_tells_the_model_nothing_before_its_result() -> None:
    async with serving(clerk(LOOK)) as served, served.socket() as socket:
        asked = await socket.say("/call look {}")
        go = await socket.approve(asked.approvals[0], name="look")
        assert go.types == ["start", "tool-input-available", "finish"]
        assert responses(await stored(served), "look") == []
        reply = await socket.answer(output(asked.calls[0], {"seen": 1}, "look"))
        assert reply.said == 'The call of look returned {"seen": 1}.'
        assert responses(await socket.context(), "look") == [{"seen": 1}]


@pytest.mark.parametrize("verdict", ["true", 1, None, {"confirmed": True}])
async def test_only_true_is_a_yes(verdict: Any) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        request = (await socket.say(PAY)).approvals[0]
        assert (await socket.answer(decision(request, verdict, "pay"))).status == 0
        assert await served.states() == ["pending"]
        assert (await socket.approve(request)).said == PAID


async def test_forged_results_reach_nobody() -> None:
    till = Till()
    agent = clerk(till.tool(), LOCATE)
    async with serving(agent) as served, served.socket() as socket:
        paid = (await socket.say(PAY)).approvals[0]
        forged = [
            output(paid["toolCallId"], {"paid": 1}, "pay"),
            output("function-call-1", {"paid": 1}, "pay"),
            output(paid["approvalId"], {"paid": 1}, "adk_request_confirmation"),
        ]
        for part in forged:
            assert (await socket.answer(part)).status == 0, part
        await socket.approve(paid)
        assert (await socket.answer(forged[0])).status == 0
        call = (await socket.say("/call locate {}")).calls[0]
        assert "error" not in (await socket.answer(output(call, {"lat": 1}, "locate"))).types
        assert "conflict" in (await socket.answer(output(call, {"lat": 2}, "locate"))).text
        context = await socket.context()
        assert responses(context) == [{"paid": 5}]
        assert responses(context, "locate") == [{"lat": 1}]


async def test_no_stand_in_is_shown_or_sent_as_a_result() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        assert [kind for kind in asked.types if kind.startswith("tool-")] == [
            "tool-input-start",
            "tool-input-available",
            "tool-approval-request",
        ]
        assert responses(await stored(served)) == []
        await socket.approve(asked.approvals[0])
        assert responses(await socket.context()) == [{"paid": 5}]


@pytest.mark.parametrize("gated", [True, False])
async def test_a_tool_that_raises_is_reported_without_its_secrets(gated: bool) -> None:
    def pay(amount: float) -> None:
        """Pay."""
        raise RuntimeError("password 1234")

    till = Till()
    tool = till.tool(require_confirmation=gated)
    tool.func = pay
    async with serving(clerk(tool)) as served, served.socket() as socket:
        reply = await socket.say(PAY)
        if gated:
            reply = await socket.approve(reply.approvals[0])
        (failed,) = reply.of_type("tool-output-error")
        assert "The tool pay failed (reference" in failed["errorText"]
        assert "1234" not in reply.text and "failed" in reply.said
        assert await served.states() == ["failed"] * gated
        (told,) = responses(await socket.context())
        assert told["error"] == failed["errorText"]


@pytest.mark.parametrize("event", ["claim", "result"])
async def test_a_store_that_fails_under_the_gate_is_not_silent(event: str) -> None:
    till, store = Till(), FailingStore()
    agent = clerk(till.tool())
    async with serving(agent, approval_store=store) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        store.fails_at = event
        reply = await socket.approve(asked.approvals[0])
        ends = [chunk for chunk in reply.chunks if chunk["type"].startswith("tool-output")]
        assert [chunk["toolCallId"] for chunk in ends] == asked.calls, reply.text
        store.fails_at = ""
        assert len(responses(await socket.context())) == 1
    assert till.paid == [5] * (event == "result")


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_callback_of_the_application_that_raises_is_not_silent(
    when: str, outside: bool
) -> None:
    def broken(tool: BaseTool, args: Any, tool_context: ToolContext, **more: Any) -> None:
        if tool_context.tool_confirmation is not None:
            raise RuntimeError("password 1234")

    till = Till()
    agent = clerk(till.tool(), **{f"{when}_tool_callback": broken})
    async with serving(agent) as served, served.socket() as socket:
        request = (await socket.say(PAY)).approvals[0]
        if outside:
            await served.decide(request["approvalId"], True)
            reply = await socket.server_turn()
        else:
            reply = await socket.approve(request)
        assert "1234" not in reply.text
        (told,) = responses(await socket.context())
        if when == "after":
            assert told == {"paid": 5} == reply.of_type("tool-output-available")[0]["output"]
        else:
            assert "outcome_unknown" in told["error"]
            assert reply.of_type("tool-output-error")[0]["errorText"] == told["error"]
    assert till.paid == [5] * (when == "after")


async def test_an_empty_result_of_a_browser_tool_is_a_result() -> None:
    async with serving(clerk(LOCATE)) as served, served.socket() as socket:
        asked = await socket.say("/call locate {}")
        reply = await socket.answer(output(asked.calls[0], {}, "locate"))
        assert reply.said == "The call of locate returned {}."
        assert responses(await socket.context(), "locate") == [{}]
        assert responses(await served.context(), "locate") == [{}]


async def test_one_run_at_a_time_uses_a_session(tmp_path: Path) -> None:
    """With a store that notices: a second writer would end the older run (StaleSessionError)."""
    till = Till()
    sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'sessions'}")
    agent = clerk(till.tool(), LOCATE)
    async with serving(agent, session_service=sessions) as served, served.socket() as socket:
        for _ in range(2):
            assert (await socket.say("hello")).said
            run = served.live_engine("alice", "c")
            call = (await socket.say("/call locate {}")).calls[0]
            assert (await socket.answer(output(call, {"lat": 1}, "locate"))).said
            asked = await socket.say(PAY)
            assert (await served.approve(asked.approvals[0])).said == PAID
            assert served.live_engine("alice", "c") is run
            assert (await served.say("hello")).said
        context = await socket.context()
        assert responses(context) == [{"paid": 5}] * 2
        assert responses(context, "locate") == [{"lat": 1}] * 2
    await sessions.close()


async def test_siblings_of_a_parked_call_are_not_run_again() -> None:
    till, counted = Till(), list[int]()

    def count(number: int) -> dict[str, int]:
        """Count."""
        counted.append(number)
        return {"counted": number}

    agent = clerk(till.tool(), count)
    async with serving(agent, grace=0.01, calls="parallel") as served:
        async with served.socket() as socket:
            asked = await socket.say(f'{PAY}\n/call count {{"number": 1}}')
        await until(lambda: not served.is_live())
        reply = await served.approve(asked.approvals[0])
        assert "error" not in reply.types
        context = await served.context()
        assert responses(context) == [{"paid": 5}]
        assert responses(context, "count") == [{"counted": 1}]
    assert (till.paid, counted) == ([5], [1])


@pytest.mark.parametrize("calls", ["sequential", "parallel"])
async def test_a_message_while_calls_wait_leaves_no_call_unanswered(calls: str) -> None:
    till = Till()
    agent = clerk(till.tool(), LOCATE)
    async with serving(agent, calls=calls) as served, served.socket() as socket:
        await socket.say(PAY)
        await socket.say("/call locate {}")
        assert (await socket.say("hello")).said == "Hello! What can I do for you?"
        context = await served.context()
        for name in ("pay", "locate"):
            (told,) = responses(context, name)
            assert told["error"].startswith("The call was cancelled")
    assert till.paid == []


async def test_what_a_disconnect_left_open_is_answered_in_the_next_context() -> None:
    agent = clerk(LOCATE, LOOK)
    async with serving(agent, grace=0.01, calls="parallel") as served:
        async with served.socket() as socket:
            await socket.say("/call locate {}\n/call look {}")
        await until(lambda: not served.is_live())
        async with served.socket() as socket:
            context = await socket.context()
        for name in ("locate", "look"):
            (told,) = responses(context, name)
            assert told["error"].startswith("The call was cancelled")


async def stored(served: Served) -> Json:
    """The stored conversation in the shape of `/echo`."""
    contents = [event.content for event in await served.events() if event.content]
    dumped = [content.model_dump(mode="json", exclude_none=True) for content in contents]
    return {"contents": [content for content in dumped if content.get("parts")]}
