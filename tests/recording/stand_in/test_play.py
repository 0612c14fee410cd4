"""A script as the server plays it: what fits, what does not, and what is left over."""

from collections.abc import Callable
from threading import Thread

import pytest

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.scenario import Exchange, Step
from adk_stream_protocol.recording.stand_in import play as module
from adk_stream_protocol.recording.stand_in.play import Play, RecordingPlay

HI = {"text": "Hi"}
HELLO = Exchange({"contents": ["Hi"]}, frames=[])


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)


def test_a_request_gets_the_next_answer_and_is_compared_by_what_is_named() -> None:
    play = Play(Names(), exchanges=[HELLO])
    assert play.answer({"contents": ["Hi"], "tools": ["whatever"]}) is HELLO
    play.finish()
    assert play.received == [{"contents": ["Hi"], "tools": ["whatever"]}]


@pytest.mark.parametrize(
    ("exchanges", "about"),
    [([HELLO], "not what the script expects"), ([], "does not have")],
)
def test_a_request_that_does_not_fit_is_a_fault(exchanges: list[Exchange], about: str) -> None:
    play = Play(Names(), exchanges=exchanges)
    fault = play.answer({"contents": ["Bye"]})
    assert isinstance(fault, str) and about in fault and play.faults == [fault]
    with pytest.raises(AssertionError, match=about):
        play.finish()


def test_a_connection_has_its_steps_one_by_one() -> None:
    play = Play(Names(), connections=[[Step(send=HI), Step(expect=HI)]])
    steps = play.connect("v1")
    assert isinstance(steps, list) and play.received == [{"version": "v1"}]
    with pytest.raises(AssertionError, match="still waits"):
        play.finish_open()
    while steps:
        play.played(steps)
    play.finish_open()
    with pytest.raises(AssertionError, match="1 connections are still open"):
        play.finish()
    play.disconnect([])
    play.finish()


def test_a_connection_too_many_and_one_that_ends_too_early() -> None:
    play = Play(Names())
    assert isinstance(play.connect("v1"), str)
    play.disconnect([Step(send=HI)])
    assert len(play.faults) == 2 and "ended before" in play.faults[1]
    with pytest.raises(AssertionError, match="does not have"):
        play.finish_open()


def test_frames_are_compared_and_their_names_learnt() -> None:
    names = Names()
    play = Play(names)
    assert play.take({"id": "<call-1>"}, {"id": "c9"}) is None
    assert names.fill("<call-1>") == "c9"
    fault = play.take({"id": "<call-1>"}, {"id": "c8"})
    assert fault is not None and "c8" in fault
    assert "does not have" in play.unexpected(HI)
    assert play.received == [{"id": "c9"}, {"id": "c8"}, HI]


def test_of_a_setup_only_the_named_keys_are_compared() -> None:
    play = Play(Names())
    setup = {"setup": {"model": "m", "tools": []}}
    assert play.take({"setup": {"model": "m"}}, setup) is None
    assert play.take({"setup": {"model": "other"}}, setup) is not None
    assert play.take({"setup": {}}, HI) is not None


def test_frames_in_any_order_are_crossed_off() -> None:
    play = Play(Names())
    expected = [{"n": 1}, {"n": 2}]
    assert play.take_any(expected, {"n": 2}) is None and expected == [{"n": 1}]
    assert play.take_any(expected, {"n": 3}) is not None
    assert play.take_any(expected, {"n": 1}) is None and expected == []


def test_sound_is_passed_over_where_it_is_not_compared() -> None:
    voice = {"realtime_input": {"audio": {}}}
    assert Play(Names(), compare_sound=False).passes_over(voice)
    assert not Play(Names()).passes_over(voice)
    assert not Play(Names(), compare_sound=False).passes_over(HI)


def test_a_signal_lets_go_on_before_or_after() -> None:
    play = Play(Names())
    play.signal("first")
    assert play.await_signal("first") is None
    fault = play.await_signal("never")
    assert fault is not None and "never came" in fault


def in_a_thread(job: Callable[[], object]) -> Thread:
    thread = Thread(target=job)
    thread.start()
    return thread


def test_a_play_is_waited_for_from_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 60)
    play = Play(Names(), connections=[[Step(send=HI)]])
    steps = play.connect("v1")
    assert isinstance(steps, list)
    waiting = in_a_thread(play.finish_open)
    signalled = in_a_thread(lambda: play.await_signal("go"))
    play.played(steps)
    play.signal("go")
    waiting.join(60)
    signalled.join(60)
    closing = in_a_thread(play.await_closed)
    play.disconnect([])
    closing.join(60)
    assert not (waiting.is_alive() or signalled.is_alive() or closing.is_alive())
    play.finish()


def test_a_recording_play_takes_frames_of_the_expected_kind() -> None:
    play = RecordingPlay(Names())
    expected = {"text": None}
    assert play.take(expected, HI) is None and expected == HI
    assert play.take({"text": None}, {"audio": 1}) is not None


def test_a_recording_play_leaves_out_of_a_setup_what_is_too_long() -> None:
    play = RecordingPlay(Names())
    setup = {"setup": {"model": "m", "tools": [1], "systemInstruction": "Be kind."}}
    plain: dict[str, object] = {"setup": None}
    assert play.take(plain, setup) is None and plain == {"setup": {"model": "m"}}
    named: dict[str, object] = {"setup": {"tools": None}}
    assert play.take(named, setup) is None
    assert named == {"setup": {"model": "m", "tools": [1]}}
