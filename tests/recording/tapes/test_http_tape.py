"""A tape of requests becomes a scenario over HTTP."""

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Exchange, Turn
from adk_stream_protocol.recording.tapes.http_tape import http_scenario
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    Body,
    Chunk,
    Dropped,
    Ended,
    Frame,
    Posted,
    RecordingOptions,
)

POSTED = Posted(1, "/shop/api/chat", "adk-tool", {"id": "chat", "messages": []})


def asked(number: int, method: str = "streamGenerateContent") -> Asked:
    request: Json = {"model": "gemini", "method": method, "contents": [], "tools": ["left out"]}
    return Asked(number, request)


def test_a_turn_with_its_exchange() -> None:
    tape = [POSTED, asked(2), Frame(2, {"n": 1}), Chunk(1, {"type": "start"}), Ended(1)]
    scenario = http_scenario(tape, RecordingOptions("A chat.", approval_ttl=5))
    request = {"method": "streamGenerateContent", "contents": []}
    assert scenario.turns == [
        Turn({"messages": []}, [Exchange(request, frames=[{"n": 1}])], [{"type": "start"}])
    ]
    assert (scenario.about, scenario.model, scenario.path) == ("A chat.", "gemini", POSTED.path)
    assert (scenario.approvals, scenario.approval_ttl, scenario.streaming) == ("adk-tool", 5, True)


def test_answers_in_one_piece_and_answers_that_break_off() -> None:
    tape = [POSTED, asked(2, "generateContent"), Body(2, 429, {"error": {}}), Ended(1)]
    (whole,) = http_scenario(tape, RecordingOptions()).turns
    assert (whole.model[0].status, whole.model[0].body) == (429, {"error": {}})
    assert not http_scenario(tape, RecordingOptions()).streaming
    (broken,) = http_scenario([POSTED, asked(2), Dropped(2), Ended(1)], RecordingOptions()).turns
    assert (broken.model[0].frames, broken.model[0].drop) == ([], True)


def test_a_turn_that_is_not_over_is_left_out() -> None:
    assert http_scenario([POSTED, asked(2), Frame(2, {})], RecordingOptions()).turns == []


def test_what_the_model_is_asked_outside_of_a_turn_is_left_out() -> None:
    tape = [asked(2), Frame(2, {}), Chunk(1, {}), POSTED, Ended(1)]
    (turn,) = http_scenario(tape, RecordingOptions()).turns
    assert turn == Turn({"messages": []})
