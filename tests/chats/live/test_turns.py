"""The turns of a live run: which of them an event belongs to, and where it begins and ends."""

import pytest

from adk_stream_protocol.errors import Busy, LinkLost
from adk_stream_protocol.protocol.chunks import Error
from tests.support.desk import kinds, said
from tests.support.events import ARGS, call, event, notes, partial, response, text
from tests.support.live_scene import LiveScene, chunks_of

HEARD = event(text("Hello"))
DONE = event(turn_complete=True)
INTERRUPTED = event(interrupted=True)
ASKED = event(
    call("c1", "pay", args=ARGS),
    custom_metadata=notes(c1={"gated": True, "approvalId": "a1"}),
)
LOCATE = event(call("b1", "locate", args={}), custom_metadata=notes(b1={"browser": True}))
PAID = event(response("c1", "pay", {"paid": 5}), author="user")


async def test_a_turn_of_the_client_has_the_events_up_to_the_models_end() -> None:
    scene = LiveScene()
    turn = scene.ask()
    scene.happen(partial(text("Hel")), partial(text("lo")), HEARD)
    assert scene.turns.open is turn and not turn.ended
    scene.happen(DONE)
    assert turn.ended and scene.turns.open is None and scene.chat.turn is None
    assert said(chunks_of(turn)) == "Hello" and turn.message_id == "m1"
    assert scene.own == []


async def test_a_client_has_one_turn_at_a_time() -> None:
    scene = LiveScene()
    scene.ask()
    with pytest.raises(Busy):
        scene.turns.refuse_second()


async def test_what_comes_unasked_begins_a_turn_of_the_servers() -> None:
    scene = LiveScene()
    scene.happen(HEARD)
    (own,) = scene.own
    assert scene.turns.open is own and said(chunks_of(own)) == "Hello"
    scene.turns.refuse_second()
    scene.happen(DONE)
    assert own.ended
    scene.happen(DONE)
    assert len(scene.own) == 1, "an event that says nothing begins nothing"


async def test_a_message_ends_a_turn_that_the_server_began() -> None:
    scene = LiveScene()
    scene.happen(HEARD)
    turn = scene.ask("m2")
    assert scene.own[0].ended and kinds(chunks_of(scene.own[0]))[-1] == "finish"
    scene.happen(DONE, event(text("To the question")), DONE)
    assert said(chunks_of(turn)) == "To the question", "the rest of the first one is not passed on"


async def test_no_turn_begins_for_a_user_who_has_too_many() -> None:
    scene = LiveScene()
    scene.chat.is_full = True
    scene.happen(HEARD, DONE)
    assert scene.own == [] and scene.turns.open is None


async def test_a_turn_ends_where_a_call_waits_and_goes_on_with_its_message() -> None:
    scene = LiveScene()
    first = scene.ask()
    scene.happen(ASKED)
    assert first.ended and "tool-approval-request" in kinds(chunks_of(first))
    scene.happen(event(text("I am waiting.")))
    (own,) = scene.own
    assert own.message_id == "m1", "the call is in that message"
    assert kinds(own.message_prefix())[-1] != "finish" and own.message_prefix()
    assert own.ended


async def test_an_answer_has_what_its_call_brings() -> None:
    scene = LiveScene()
    scene.ask()
    scene.happen(ASKED)
    turn = scene.answer()
    scene.turns.encoder.calls.by_id["c1"].decision = True
    scene.turns.end_if_idle(is_due=False)
    assert not turn.ended, "the call runs"
    scene.happen(PAID, event(text("Paid.")), DONE)
    assert turn.ended and said(chunks_of(turn)) == "Paid."
    assert "tool-output-available" in kinds(chunks_of(turn))


@pytest.mark.parametrize("is_due", [True, False])
async def test_after_answers_a_turn_is_over_unless_more_is_due(is_due: bool) -> None:
    scene = LiveScene()
    scene.turns.end_if_idle(is_due=is_due)
    turn = scene.answer()
    scene.turns.end_if_idle(is_due=is_due)
    assert turn.ended is not is_due


async def test_silence_ends_a_turn_only_where_something_waits() -> None:
    scene = LiveScene()
    turn = scene.ask()
    scene.turns.end_if_waiting()
    assert not turn.ended
    scene.happen(partial(text("One mo")), LOCATE)
    turn = scene.turns.open or turn
    scene.turns.end_if_waiting()
    assert turn.ended and not scene.turns.progress.owes_more


async def test_a_stop_mutes_what_the_model_still_says() -> None:
    scene = LiveScene()
    assert not scene.turns.stop()
    turn = scene.ask()
    scene.happen(partial(text("Hel")))
    assert scene.turns.stop() and turn.ended
    scene.happen(partial(text("lo")), INTERRUPTED, DONE)
    assert scene.own == [] and said(chunks_of(turn)) == "Hel"
    scene.happen(HEARD)
    assert len(scene.own) == 1, "that is new"


async def test_a_stop_while_a_call_waits_mutes_nothing() -> None:
    scene = LiveScene()
    scene.ask()
    scene.happen(ASKED)
    scene.happen(partial(text("I am")))
    assert scene.turns.stop()
    scene.happen(event(text("I am here.")))
    assert len(scene.own) == 2


async def test_a_call_that_ends_without_an_event_is_shown_as_ended() -> None:
    scene = LiveScene()
    scene.ask()
    scene.happen(ASKED)
    ended = scene.turns.encoder.calls.by_id["c1"]
    ended.response = {"error": "It was taken back.", "outcome": "withdrawn"}
    scene.turns.settle(ended)
    (own,) = scene.own
    assert "tool-output-error" in kinds(chunks_of(own)) and own.ended
    unknown = scene.turns.encoder
    scene.turns.settle(ended)
    assert len(scene.own) == 1 and unknown is scene.turns.encoder, "it is of no turn any more"


async def test_a_call_that_ends_inside_of_a_turn_does_not_end_the_turn() -> None:
    scene = LiveScene()
    scene.ask()
    scene.happen(ASKED)
    turn = scene.answer()
    ended = scene.turns.encoder.calls.by_id["c1"]
    ended.response = {"error": "It was taken back.", "outcome": "withdrawn"}
    scene.turns.settle(ended)
    assert "tool-output-error" in kinds(chunks_of(turn)) and not turn.ended


@pytest.mark.parametrize("approved", [True, False])
async def test_a_decision_elsewhere_is_known_once(approved: bool) -> None:
    scene = LiveScene()
    scene.turns.style = "adk-tool"
    scene.ask()
    scene.happen(ASKED)
    scene.turns.decided("nobody's", approved)
    assert scene.own == []
    for _ in range(2):
        scene.turns.decided("c1", approved)
    (own,) = scene.own
    assert kinds(chunks_of(own)).count("tool-output-available") == 1
    assert scene.turns.encoder.calls.by_id["c1"].decision is approved


@pytest.mark.parametrize("error", [None, LinkLost("gone")])
async def test_the_end_of_the_run_ends_the_open_turn(error: LinkLost | None) -> None:
    scene = LiveScene()
    scene.turns.fail(error)
    turn = scene.ask()
    scene.turns.fail(error)
    assert turn.ended and isinstance(chunks_of(turn)[-1], Error) is (error is not None)


async def test_each_turn_has_a_message_of_its_own() -> None:
    scene = LiveScene()
    for _ in range(2):
        scene.happen(HEARD, DONE)
    first, second = (turn.message_id for turn in scene.own)
    assert first.startswith("msg-") and second.startswith("msg-") and first != second
