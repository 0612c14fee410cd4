"""What a turn reads from the session and the records of its chat, and what it writes there."""

from dataclasses import replace
from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.record import Principal, State
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.answers import Decision, Plan
from adk_stream_protocol.convert.calls import CONFIRMATION, Call
from adk_stream_protocol.errors import Busy, Conflict, Forbidden
from tests.support.desk import ALICE, Desk, kinds, until
from tests.support.live_scene import SlotChat
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
BOTH = '/call pay {"amount": 5}\n/call pay {"amount": 6}'
LOCATE = ClientTool("locate", "Where?")
LOOK = ClientTool("look", "See.", approval=True)
ELSEWHERE = "elsewhere.example:1:2"


class Scene:
    """A chat in which something waits, as it is read for the next turn."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.chat = SlotChat()

    @classmethod
    async def of(cls, text: str, *tools: Any, live: bool = False, **options: Any) -> "Scene":
        desk = Desk(*(tools or (Till().tool(), LOCATE, LOOK)), **options)
        await desk.say(text, live=live)
        await desk.chats.end("alice", "c")
        return cls(desk)

    async def read(self) -> OpenTurn:
        found = await self.desk.reader.read(self.chat)
        assert found is not None
        return found

    async def responses(self) -> list[dict[str, Any]]:
        """What the model is told of the calls, without the stand-ins for open ones."""
        events = (await self.desk.session()).events
        return [
            answer.response or {}
            for one in events
            for answer in one.get_function_responses()
            if answer.id not in one.actions.requested_tool_confirmations
        ]

    async def outcomes(self) -> list[Any]:
        return [one.get("outcome", one) for one in await self.responses()]

    async def approve(self, approved: bool = True) -> None:
        await self.desk.book.decide(await self.desk.record(), ALICE, approved, None)

    async def claim(self, holder: str | None = None) -> None:
        record = await self.desk.record()
        assert await self.desk.book.claim(record, {"amount": 5}, holder)


def only(opened: OpenTurn) -> Call:
    (found,) = opened.calls.by_id.values()
    return found


def decided(call: Call, approved: bool = True, reason: str | None = None) -> Plan:
    return Plan(decisions=[Decision(call, approved, reason)])


async def test_the_record_says_where_a_call_stands() -> None:
    scene = await Scene.of(PAY)
    assert only(await scene.read()).waits_for_approval
    await scene.approve()
    assert only(await scene.read()).is_unfinished
    assert not (await scene.read()).is_stored_elsewhere


async def test_a_result_of_another_living_process_is_about_to_be_stored() -> None:
    scene = await Scene.of(PAY)
    await scene.approve()
    await scene.claim(ELSEWHERE)
    await scene.desk.book.finish(await scene.desk.record(), {"paid": 5}, failed=False)
    assert (await scene.read()).is_stored_elsewhere


async def test_moving_on_cancels_what_is_open_and_tells_the_model() -> None:
    scene = await Scene.of(f"{PAY}\n/call locate {{}}")
    left = await (await scene.read()).cancel_open()
    assert [one.name for one in left] == ["pay", "locate"]
    assert await scene.outcomes() == ["cancelled", "cancelled"]
    assert await scene.desk.states() == ["cancelled"]
    assert await (await scene.read()).cancel_open() == []


async def test_moving_on_reports_what_a_crash_left_without_a_result() -> None:
    scene = await Scene.of(PAY)
    await scene.approve()
    await (await scene.read()).cancel_open()
    assert await scene.desk.states() == ["lapsed"]
    assert await scene.outcomes() == ["cancelled"]


async def test_a_started_call_may_have_taken_effect() -> None:
    scene = await Scene.of(PAY)
    await scene.approve()
    await scene.claim()
    await (await scene.read()).cancel_open()
    assert await scene.desk.states() == ["unknown"] and await scene.outcomes() == ["unknown"]


async def test_nobody_moves_on_while_a_tool_runs_here() -> None:
    scene = await Scene.of(PAY)
    await scene.approve()
    await scene.claim()
    scene.chat.calls.begin((await scene.desk.record()).id)
    with pytest.raises(Busy):
        await (await scene.read()).cancel_open()
    assert await scene.desk.states() == ["executing"]


async def test_a_call_that_the_browser_runs_is_given_up() -> None:
    scene = await Scene.of("/call look {}")
    await scene.approve()
    opened = await scene.read()
    await opened.commit(Plan(may_run_in_browser=[only(opened)]), ALICE)
    assert await scene.desk.states() == ["executing"]
    await (await scene.read()).cancel_open()
    assert await scene.desk.states() == ["unknown"] and await scene.outcomes() == ["cancelled"]


@pytest.mark.parametrize("state", ["withdrawn", "expired"])
async def test_calls_that_nobody_needs_to_answer_are_closed(state: str) -> None:
    scene = await Scene.of(f"{PAY}\n/call locate {{}}")
    opened = await scene.read()
    paid = next(one for one in opened.calls.open() if one.name == "pay")
    outcome = tool_responses.withdrawn() if state == "withdrawn" else tool_responses.expired()
    assert await opened.close_calls({paid.id, "nobody's"}, outcome) == [paid]
    assert await scene.outcomes() == [state]
    assert await scene.desk.states() == ["withdrawn" if state == "withdrawn" else "cancelled"]


async def test_a_call_without_a_record_is_cancelled() -> None:
    scene = await Scene.of("/call locate {}")
    opened = await scene.read()
    assert await opened.close_calls({only(opened).id}, tool_responses.withdrawn()) == [only(opened)]
    assert await scene.outcomes() == ["withdrawn"]


async def test_a_decided_call_that_nothing_came_of_is_closed() -> None:
    scene = await Scene.of(PAY)
    opened = await scene.read()
    assert await opened.close_unfinished(only(opened).id) is None, "it still waits"
    assert await opened.close_unfinished("nobody's") is None
    await scene.approve(False)
    opened = await scene.read()
    closed = await opened.close_unfinished(only(opened).id)
    assert closed is not None and await scene.outcomes() == ["denied"]


@pytest.mark.parametrize("ttl", [600, -1])
async def test_a_request_expires_by_its_record(ttl: float) -> None:
    scene = await Scene.of(PAY, ttl=ttl)
    await (await scene.read()).expire(600)
    over = ttl < 0
    assert await scene.desk.states() == (["expired"] if over else ["pending"])
    assert await scene.outcomes() == (["expired"] if over else [])


@pytest.mark.parametrize(("own", "ttl", "over"), [(None, 600, 0), (None, -1, 1), (-1, 600, 1)])
async def test_a_browser_call_expires_by_its_own_time_or_the_chats(
    own: float | None, ttl: float, over: int
) -> None:
    scene = await Scene.of("/call locate {}", ClientTool("locate", "Where?", ttl=own))
    await (await scene.read()).expire(ttl)
    assert await scene.outcomes() == ["expired"] * over


async def test_an_approved_browser_call_that_never_came_back_is_lost() -> None:
    scene = await Scene.of("/call look {}")
    await scene.approve()
    opened = await scene.read()
    await opened.commit(Plan(may_run_in_browser=[only(opened)]), ALICE)
    await (await scene.read()).expire(-1)
    assert await scene.desk.states() == ["unknown"] and await scene.outcomes() == ["expired"]


async def test_what_was_ended_outside_of_the_chat_is_told_to_the_model() -> None:
    scene = await Scene.of(PAY)
    await scene.desk.book.cancel(await scene.desk.record(), "the chat was closed")
    await (await scene.read()).expire(600)
    assert await scene.outcomes() == ["cancelled"]


async def test_a_decision_is_written_into_its_record_and_kept_for_the_start() -> None:
    scene = await Scene.of(PAY)
    opened = await scene.read()
    await opened.commit(decided(only(opened)), ALICE)
    (held,) = scene.chat.calls.held.values()
    assert held.state is State.APPROVED and only(opened).decision is True


async def test_one_decision_that_may_not_be_made_stops_all_of_them() -> None:
    scene = await Scene.of(BOTH)
    opened = await scene.read()
    first, second = opened.calls.by_id.values()
    plan = Plan(decisions=[Decision(first, True, None), Decision(second, True, None)])
    with pytest.raises(Forbidden):
        await opened.commit(plan, Principal("bob"))
    record = await scene.desk.store.get(second.approval_id or "")
    assert record is not None
    await scene.desk.book.cancel(record, "taken back")
    with pytest.raises(Conflict):
        await (await scene.read()).commit(plan, ALICE)
    assert sorted(await scene.desk.states()) == ["cancelled", "pending"]


async def test_a_request_without_a_record_cannot_be_answered() -> None:
    scene = await Scene.of(PAY)
    opened = await scene.read()
    with pytest.raises(Conflict, match="no record"):
        await opened.commit(decided(replace_id(only(opened))), ALICE)


def replace_id(call: Call) -> Call:
    return Call("other", "pay", {}, "i", call.author, 1.0, ["other"], approval_id="a")


@pytest.mark.parametrize("is_ours", [True, False])
async def test_a_call_that_was_decided_before_is_taken_over(is_ours: bool) -> None:
    scene = await Scene.of(PAY)
    await scene.approve()
    record = await scene.desk.record()
    entry = (await scene.desk.store.trail(None))[-1]
    assert await scene.desk.store.move(record, replace(record, holder=ELSEWHERE), entry)
    opened = await scene.read()
    plan = Plan(repeated=[only(opened)])
    if is_ours:
        await opened.commit(plan, ALICE, is_ours=True)
        assert len(scene.chat.calls.held) == 1
    else:
        with pytest.raises(Busy):
            await opened.commit(plan, ALICE)
    await opened.commit(plan, ALICE, live=True)


@pytest.mark.parametrize(
    ("value", "state"), [({"seen": 1}, "done"), ({"error": "no camera"}, "failed")]
)
async def test_a_browsers_result_finishes_its_record(value: dict[str, Any], state: str) -> None:
    scene = await Scene.of("/call look {}")
    await scene.approve()
    opened = await scene.read()
    plan = Plan(results=[(only(opened), value)])
    await opened.commit(plan, ALICE)
    assert await scene.desk.states() == [state]
    content = await opened.keep(plan)
    assert content is not None and content.parts
    answer = content.parts[0].function_response
    assert answer is not None and answer.response == value


async def test_a_confirmation_and_a_result_are_not_in_one_message() -> None:
    scene = await Scene.of(f"{PAY}\n/call locate {{}}")
    opened = await scene.read()
    paid, found = opened.calls.by_id.values()
    plan = Plan(decisions=[Decision(paid, False, "too dear")], results=[(found, {"lat": 1})])
    await opened.commit(plan, ALICE)
    content = await opened.keep(plan)
    assert content is not None
    (part,) = content.parts or []
    assert part.function_response and part.function_response.name == CONFIRMATION
    assert part.function_response.response == {
        "confirmed": False,
        "payload": {"reason": "too dear"},
    }
    assert await scene.responses() == [{"lat": 1}]


async def test_an_early_result_is_noted_and_nothing_is_run() -> None:
    scene = await Scene.of("/call look {}")
    opened = await scene.read()
    assert await opened.keep(Plan(early_results=[(only(opened), {"seen": 1})])) is None
    assert only(await scene.read()).early_result == {"seen": 1}
    assert await opened.keep_results(Plan(early_results=[(only(opened), {"seen": 2})])) is None
    assert only(await scene.read()).early_result == {"seen": 2}


async def test_results_for_a_live_run_are_stored_and_sent() -> None:
    scene = await Scene.of("/call locate {}", live=True)
    opened = await scene.read()
    content = await opened.keep_results(Plan(results=[(only(opened), {"lat": 1})]))
    assert content is not None and await scene.responses() == [{"lat": 1}]


async def test_calls_of_a_live_run_get_a_dialog_before_adk_can_go_on() -> None:
    scene = await Scene.of(BOTH, live=True)
    opened = await scene.read()
    calls = list(opened.calls.by_id.values())
    assert calls and not any(one.has_dialog for one in calls)
    plan = decided(calls[0])
    await opened.commit(plan, ALICE)
    await opened.keep(plan)
    asked = [
        one.name
        for found in (await scene.desk.session()).events
        for one in found.get_function_calls()
    ]
    assert asked.count(CONFIRMATION) == len(calls) and all(one.has_dialog for one in calls)
    await opened.keep(plan)
    again = (await scene.read()).turn_events()
    dialogs = [one for found in again for one in found.get_function_calls()]
    assert [one.name for one in dialogs].count(CONFIRMATION) == len(calls), "asked only once"


async def test_what_the_model_had_said_is_stored_as_interrupted() -> None:
    scene = await Scene.of("/say 1")
    opened = await scene.read()
    last = opened.session.events[-1]
    await opened.keep_unfinished(last, "1 2")
    stored = (await scene.desk.session()).events[-1]
    assert stored.interrupted and stored.invocation_id == last.invocation_id
    assert stored.content and stored.content.parts and stored.content.parts[0].text == "1 2"


async def test_a_gap_is_closed_only_after_the_user() -> None:
    scene = await Scene.of("/say 1")
    opened = await scene.read()
    count = len(opened.session.events)
    await opened.close_gap("clerk")
    assert len((await scene.desk.session()).events) == count
    said = types.Content(role="user", parts=[types.Part(text="Hello?")])
    await scene.desk.inner.append_event(
        await scene.desk.session(), Event(author="user", content=said)
    )
    await (await scene.read()).close_gap("clerk")
    last = (await scene.desk.session()).events[-1]
    assert last.author == "clerk" and (last.custom_metadata or {}).get("adk_stream") == {
        "filler": True
    }


async def test_a_replay_begins_where_the_answers_came_in() -> None:
    scene = await Scene.of(f"/say 1\n{PAY}")
    before = len((await scene.read()).turn_events())
    await scene.approve()
    await scene.desk.chats.go_on("alice", "c")
    await until(lambda: scene.desk.chats.running("alice", "c") is None)
    opened = await scene.read()
    done = only(opened)
    plan = Plan(repeated=[done])
    assert plan.is_replay
    answered = opened.answered_events([done])
    assert len(opened.turn_events()) - len(answered) == before
    earlier = opened.calls_before([done]).by_id[done.id]
    assert earlier.response is None and earlier.decision is True and done.response == {"paid": 5}
    assert opened.held_text(plan) == ["1 "]
    assert kinds(opened.message_prefix("native", plan)())[-1] == "finish-step"
    assert opened.answered_events([]) == []


@pytest.mark.parametrize("is_whole", [True, False])
async def test_calls_of_earlier_turns_are_found_also_where_few_events_were_read(
    is_whole: bool,
) -> None:
    scene = await Scene.of("/call locate {}")
    asked = only(await scene.read()).id
    await scene.desk.say("hello")
    session = await scene.desk.session()
    assert isinstance(scene.desk.runner.session_service, TurnSessions)
    if not is_whole:
        session.events = session.events[-1:]
    opened = OpenTurn(
        scene.desk.runner.session_service,
        session,
        scene.desk.book,
        scene.chat.calls,
        is_whole=is_whole,
    )
    assert opened.calls.by_id == {} and asked in (await opened.all_calls()).by_id


async def test_a_chat_that_is_gone_has_no_calls() -> None:
    scene = await Scene.of("/call locate {}")
    session = await scene.desk.session()
    await scene.desk.inner.delete_session(app_name="clerk", user_id="alice", session_id="c")
    assert isinstance(scene.desk.runner.session_service, TurnSessions)
    sessions = scene.desk.runner.session_service
    opened = OpenTurn(sessions, session, scene.desk.book, scene.chat.calls, is_whole=False)
    assert (await opened.all_calls()).by_id == {}


async def test_the_next_run_uses_the_session_as_it_was_read() -> None:
    scene = await Scene.of("/say 1")
    opened = await scene.read()
    opened.hand_over()
    sessions = scene.desk.runner.session_service
    again = await sessions.get_session(app_name="clerk", user_id="alice", session_id="c")
    assert again is opened.session
