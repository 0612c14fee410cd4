"""A tape of a socket becomes a scenario, in either dialect."""

import json

import pytest

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import SocketTurn, Step
from adk_stream_protocol.recording.tapes.socket_tape import socket_scenario
from adk_stream_protocol.recording.tapes.tape import (
    CannotRecord,
    Connected,
    Down,
    Entry,
    Opened,
    RecordingOptions,
    Said,
    Sent,
    Up,
)

SETUP: Json = {"setup": {"model": "models/gemini", "tools": [], "sessionResumption": {}}}
MODEL: list[Entry] = [Connected(2), Sent(2, SETUP), Said(2, {"setupComplete": {}})]


def opened(**query: str) -> Opened:
    return Opened(1, "/shop/live", query)


def down(**frame: object) -> Down:
    return Down(1, json.dumps(frame))


def send(request_id: str) -> Up:
    frame = {"type": "send", "id": "chat", "requestId": request_id, "messages": []}
    return Up(1, frame)


def chunk(request_id: str, kind: str) -> Down:
    return down(type="chunk", requestId=request_id, chunk={"type": kind})


def test_frames_of_the_sdk() -> None:
    answer = [chunk("r1", "start"), chunk("other", "no"), down(type="end", requestId="r1")]
    tape = [opened(approvals="adk-tool"), send("r1"), *MODEL, *answer]
    scenario = socket_scenario(tape, RecordingOptions("A chat."))
    assert scenario.turns == [SocketTurn({"messages": []}, chunks=[{"type": "start"}])]
    assert scenario.connections == [
        [
            Step(expect={"setup": {"model": "models/gemini", "sessionResumption": {}}}),
            Step(send={"setupComplete": {}}),
        ]
    ]
    assert (scenario.model, scenario.path) == ("gemini", "/shop/live")
    assert (scenario.approvals, scenario.modality) == ("adk-tool", "audio")


def test_envelopes() -> None:
    message: Json = {"type": "message", "id": "chat", "data": {"chatId": "chat", "messages": []}}
    answer = [Down(1, 'data: {"type":"start"}\n\n'), Down(1, ": note"), Down(1, "data: [DONE]\n\n")]
    own = [Down(1, 'data: {"type":"own"}\n\n'), Down(1, "data: [DONE]\n\n")]
    tape = [opened(approvals="native"), Up(1, message), *MODEL, *answer, *own]
    scenario = socket_scenario(tape, RecordingOptions())
    assert scenario.turns == [
        SocketTurn({"type": "message", "data": {"messages": []}}, chunks=[{"type": "start"}]),
        SocketTurn(chunks=[{"type": "own"}]),
    ]
    assert scenario.path == "/shop/live?approvals=native"


def test_a_turn_of_the_server_is_resumed_by_the_client() -> None:
    resume = Up(1, {"type": "resume", "id": "chat", "requestId": "r2"})
    turn = [down(type="turn", requestId="server"), resume, down(type="start", requestId="r2")]
    first = [send("r1"), *MODEL, down(type="end", requestId="r1")]
    said = Said(2, {"serverContent": {"turnComplete": True}})
    tape = [opened(), *first, *turn, said, chunk("r2", "own"), down(type="end", requestId="r2")]
    scenario = socket_scenario(tape, RecordingOptions())
    assert [turn.client for turn in scenario.turns] == [{"messages": []}, None]
    assert Step(wait="reading-2") in scenario.connections[0]


def test_a_turn_that_the_client_stops_and_speech() -> None:
    stop = Up(1, {"type": "abort", "id": "chat", "requestId": "r1"})
    voice = Up(1, {"type": "audio", "id": "chat", "requestId": "r1", "audio": "AA=="})
    tape = [opened(), send("r1"), *MODEL, chunk("r1", "start"), voice, stop]
    scenario = socket_scenario([*tape, down(type="end", requestId="r1")], RecordingOptions())
    (turn,) = scenario.turns
    assert turn.abort_after == 1
    assert turn.then == [{"type": "audio", "requestId": "r1", "audio": "AA=="}]
    assert not scenario.compare_sound


def test_a_refusal_is_the_end_of_a_turn() -> None:
    tape = [opened(), send("r1"), *MODEL, down(type="error", requestId="r1", errorText="No.")]
    (turn,) = socket_scenario(tape, RecordingOptions()).turns
    assert turn.refusal == "No."


@pytest.mark.parametrize(
    ("frames", "reason"),
    [
        ([send("r1"), send("r2")], "before the turn was over"),
        ([send("r1"), down(type="start", requestId="other")], "read again on a new socket"),
        ([send("r1"), down(type="no-active", requestId="r1")], "was over before it was read"),
    ],
)
def test_what_a_file_cannot_say(frames: list[Entry], reason: str) -> None:
    with pytest.raises(CannotRecord, match=reason):
        socket_scenario([opened(), *frames], RecordingOptions())
