"""What the messages on a client's socket mean, in each of the two dialects."""

import json
from typing import Any

import pytest

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import SocketTurn
from adk_stream_protocol.recording.tapes.client_turns import ClientTurns
from adk_stream_protocol.recording.tapes.dialect_readers import EnvelopeReader, SdkReader
from adk_stream_protocol.recording.tapes.model_steps import ModelSteps
from adk_stream_protocol.recording.tapes.tape import CannotRecord


@pytest.fixture
def turns() -> ClientTurns:
    naming = Naming()
    return ClientTurns(ModelSteps(naming), naming)


def finished(turns: ClientTurns) -> list[SocketTurn]:
    return turns.named()[0]


def down(reader: SdkReader, **frame: Any) -> None:
    reader.down(json.dumps(frame))


def send(request_id: str = "r1", **body: Any) -> Json:
    return {"type": "send", "id": "chat", "requestId": request_id, "messages": [], **body}


def test_a_message_of_the_sdk_is_its_body_without_the_frame(turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up(send(trigger="submit-message"))
    down(reader, type="start", requestId="r1")
    down(reader, type="chunk", requestId="r1", chunk={"type": "start"})
    down(reader, type="end", requestId="r1")
    client = {"messages": [], "trigger": "submit-message"}
    assert finished(turns) == [SocketTurn(client, chunks=[{"type": "start"}])]


def test_an_error_is_a_refusal(turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up(send())
    down(reader, type="error", requestId="r1", errorText="No.")
    assert finished(turns) == [SocketTurn({"messages": []}, refusal="No.")]


def test_what_belongs_to_other_requests_is_left_out(turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up(send())
    down(reader, type="chunk", requestId="other", chunk={"type": "no"})
    down(reader, type="end", requestId="other")
    assert turns.is_open
    down(reader, type="end", requestId="r1")
    assert finished(turns) == [SocketTurn({"messages": []})]


def test_a_turn_of_the_servers_is_read_after_its_notice_alone(turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up({"type": "resume", "id": "chat", "requestId": "r0"})
    assert not turns.is_open, "nothing was announced: there may be nothing"
    down(reader, type="turn", requestId="server")
    reader.up({"type": "resume", "id": "chat", "requestId": "r2"})
    down(reader, type="chunk", requestId="r2", chunk={"type": "own"})
    down(reader, type="end", requestId="r2")
    assert finished(turns) == [SocketTurn(chunks=[{"type": "own"}])]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ({"type": "no-active", "requestId": "r1"}, "over before it was read"),
        ({"type": "start", "requestId": "other"}, "read again on a new socket"),
    ],
)
def test_what_a_file_cannot_say(frame: Json, reason: str, turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up(send())
    with pytest.raises(CannotRecord, match=reason):
        down(reader, **frame)


def test_a_stop_speech_and_what_nobody_knows(turns: ClientTurns) -> None:
    reader = SdkReader(turns)
    reader.up(send())
    for kind in ("audio", "audio-end"):
        reader.up({"type": kind, "id": "chat", "requestId": "r1"})
    reader.up({"type": "abort", "id": "chat", "requestId": "r1"})
    reader.up({"type": "later", "id": "chat"})
    down(reader, type="later", requestId="r1")
    down(reader, type="end", requestId="r1")
    (turn,) = finished(turns)
    assert [frame["type"] for frame in turn.then] == ["audio", "audio-end"]
    assert turn.abort_after == 0 and all("id" not in frame for frame in turn.then)


def test_an_envelope_is_kept_whole_but_for_its_chat(turns: ClientTurns) -> None:
    reader = EnvelopeReader(turns)
    data = {"chatId": "chat", "id": "chat", "messages": []}
    reader.up({"type": "message", "version": "1.0", "id": "chat", "chatId": "chat", "data": data})
    reader.down('data: {"type":"start"}\n\n')
    reader.down(": a note\n\n")
    reader.down("data: [DONE]\n\n")
    client = {"type": "message", "version": "1.0", "data": {"messages": []}}
    assert finished(turns) == [SocketTurn(client, chunks=[{"type": "start"}])]


def test_an_envelope_without_data(turns: ClientTurns) -> None:
    reader = EnvelopeReader(turns)
    reader.up({"type": "tool_result", "id": "chat", "toolCallId": "c1", "result": {}})
    reader.down("data: [DONE]\n\n")
    client = {"type": "tool_result", "toolCallId": "c1", "result": {}}
    assert finished(turns) == [SocketTurn(client)]


def test_a_chunk_without_a_message_begins_a_turn_of_the_servers(turns: ClientTurns) -> None:
    reader = EnvelopeReader(turns)
    reader.down('data: {"type":"own"}\n\n')
    reader.down("data: [DONE]\n\n")
    assert finished(turns) == [SocketTurn(chunks=[{"type": "own"}])]


@pytest.mark.parametrize("kind", ["abort", "interrupt", "stop"])
def test_an_envelope_that_stops_and_others(kind: str, turns: ClientTurns) -> None:
    reader = EnvelopeReader(turns)
    reader.up({"type": "message", "data": {}})
    reader.up({"type": "audio", "id": "chat", "audio": "AA=="})
    reader.up({"type": kind})
    reader.up({"type": "later"})
    reader.down("data: [DONE]\n\n")
    (turn,) = finished(turns)
    assert turn.abort_after == 0 and turn.then == [{"type": "audio", "audio": "AA=="}]
