"""The run's end of the link to the model: what is sent, and which calls end without an answer."""

from typing import Any

import pytest

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.live_queue import LiveQueue
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.live.link import LiveLink
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.tool_responses import user_content
from tests.support.desk import ALICE, Desk, kinds, until
from tests.support.live_scene import LiveScene, chunks_of
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


class Linked:
    """A link whose turns hold what a live run before it has left open."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.scene = LiveScene()
        self.queue = LiveQueue(lambda: None)
        self.tasks = BackgroundTasks()
        self.is_over = False
        settings = desk.live_settings
        assert settings is not None
        self.link = LiveLink(
            settings, self.scene.turns, self.queue, self.scene.chat.lock, self.tasks, self._read
        )

    async def _read(self) -> OpenTurn | None:
        return None if self.is_over else await self.desk.reader.read(self.scene.chat)

    async def load(self) -> "Linked":
        """Let the turns see what is stored."""
        self.scene.ask()
        session = await self.desk.session()
        self.scene.happen(*(one for one in session.events if one.author != "user"))
        return self

    @property
    def calls(self) -> list[Call]:
        return list(self.scene.turns.encoder.calls.by_id.values())

    async def sent(self) -> list[Any]:
        """What the model gets: the texts and the responses, oldest first."""
        out: list[Any] = []
        self.queue.close()
        while not (request := await self.queue.get()).close:
            assert request.content is not None
            for part in request.content.parts or []:
                answer = part.function_response
                out.append(answer.response if answer else part.text)
        return out

    async def rest(self) -> None:
        await self.tasks.done(60)


async def waiting(*tools: Any, text: str = PAY, calls: Any = "parallel") -> Linked:
    """A chat in which a live run has left calls open."""
    options = LiveOptions(modality="text", calls=calls, disconnect_grace=60)
    desk = Desk(*(tools or (Till().tool(),)), live=options)
    await desk.say(text, live=True)
    await desk.chats.end("alice", "c")
    return await Linked(desk).load()


def outcome(call: Call) -> Any:
    return (call.response or {}).get("outcome")


async def test_what_is_sent_has_to_be_answered() -> None:
    linked = Linked(Desk())
    linked.link.send(user_content([]))
    assert linked.scene.turns.progress.owes_more
    await linked.sent()


async def test_a_new_link_brings_its_tools() -> None:
    linked, tool = Linked(Desk()), Till().tool()
    linked.link.connected({"pay": tool}, sends_calls_immediately=False)
    assert linked.link.tools == {"pay": tool}
    assert not linked.scene.turns.progress.sends_calls_immediately


async def test_a_withdrawn_call_is_closed_and_shown_as_such() -> None:
    linked = await waiting()
    (call,) = linked.calls
    linked.link.withdrawn([call.id, "nobody's"])
    await linked.rest()
    assert await linked.desk.states() == ["withdrawn"]
    assert outcome(call) == "withdrawn"
    assert "tool-output-error" in kinds(chunks_of(linked.scene.own[0]))
    assert await linked.sent() == [], "it was the model who took it back"


async def test_a_run_that_is_over_closes_nothing() -> None:
    linked = await waiting()
    linked.is_over = True
    linked.link.withdrawn([call.id for call in linked.calls])
    linked.link.call_ended(linked.calls[0].id)
    await linked.rest()
    assert await linked.desk.states() == ["pending"] and linked.scene.own == []


async def test_another_agent_ends_what_waits_here_but_not_in_the_browser() -> None:
    tools = Till().tool(), ClientTool("locate", "Where?")
    linked = await waiting(*tools, text=f"{PAY}\n/call locate {{}}")
    linked.link.handed_over()
    await linked.rest()
    assert {call.name: outcome(call) for call in linked.calls} == {
        "pay": "withdrawn",
        "locate": None,
    }


@pytest.mark.parametrize(
    ("state", "decision"),
    [(State.APPROVED, True), (State.DENIED, False), (State.CANCELLED, None), (State.EXPIRED, None)],
)
async def test_a_decision_that_came_past_the_chat_is_learnt(
    state: State, decision: bool | None
) -> None:
    linked = await waiting()
    (call,) = linked.calls
    async with linked.scene.chat.lock:
        linked.link.decided(call.id, state)
        assert call.decision is None, "the turn that is being opened knows it"
    linked.link.decided(call.id, state)
    assert call.decision is decision


async def test_a_call_that_ends_without_a_word_is_closed_with_what_its_record_says() -> None:
    linked = await waiting()
    (call,) = linked.calls
    await linked.desk.book.decide(await linked.desk.record(), ALICE, False, "too dear")
    linked.link.call_ended(call.id)
    await linked.rest()
    assert outcome(call) == "denied"
    (told,) = await linked.sent()
    assert (told["outcome"], told["reason"]) == ("denied", "too dear")


async def test_a_call_that_still_waits_or_has_its_result_is_left_alone() -> None:
    linked = await waiting()
    (call,) = linked.calls
    linked.link.call_ended("nobody's")
    linked.link.call_ended(call.id)
    await linked.rest()
    assert call.response is None and await linked.desk.states() == ["pending"]
    call.response = {"paid": 5}
    linked.link.call_ended(call.id)
    await linked.rest()
    assert await linked.sent() == []


async def test_silence_ends_a_turn_that_waits() -> None:
    linked = Linked(Desk())
    turn = linked.scene.ask()
    linked.link.fell_silent()
    assert not turn.ended


@pytest.mark.parametrize("calls", ["parallel", "sequential"])
async def test_only_a_model_that_went_on_is_told_what_was_cancelled(calls: str) -> None:
    linked = await waiting(calls=calls)
    linked.link.send_cancelled(linked.calls)
    told = [one["outcome"] for one in await linked.sent()]
    assert told == (["cancelled"] if calls == "parallel" else [])


async def test_a_browser_call_that_is_late_is_closed_and_the_model_told() -> None:
    linked = await waiting(ClientTool("locate", "Where?", ttl=-1), text="/call locate {}")
    (call,) = linked.calls
    linked.link.deadlines.watch()
    await until(lambda: call.response is not None)
    await linked.rest()
    (told,) = await linked.sent()
    assert outcome(call) == told["outcome"] == "expired"
    assert "tool-output-error" in kinds(chunks_of(linked.scene.own[0]))
    assert linked.scene.turns.progress.owes_more, "the model has yet to say something to it"
