"""What a recording holds, what it leaves out, and where it ends."""

import json
from pathlib import Path

import pytest

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario, Step, load
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    Chunk,
    Connected,
    Down,
    Ended,
    Entry,
    Frame,
    Opened,
    Posted,
    RecordingOptions,
    Refused,
    Said,
    Sent,
    Up,
)

MADE = "0a1b2c3d-0000-4000-8000-0123456789ab"
"""An id as this package makes them."""
THEIRS = "ffffffff-0000-4000-8000-0123456789ab"
"""One that the model made."""


def words(text: str) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}


def asked(number: int, text: str = "Hi") -> Asked:
    contents = [{"role": "user", "parts": [{"text": text}]}]
    return Asked(number, {"model": "m", "method": "streamGenerateContent", "contents": contents})


def turn(number: int, *chunks: Json) -> list[Entry]:
    body = {"id": "chat", "messages": [{"role": "user", "content": "Hi"}]}
    begin: list[Entry] = [Posted(number, "/api/chat", "native", body), asked(number + 100)]
    return [*begin, Frame(number + 100, words("Hello")), *(Chunk(number, one) for one in chunks)]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def recorder(tmp_path: Path, said: list[str]) -> Recorder:
    options = RecordingOptions(varies={"order": "order"})
    return Recorder(tmp_path / "chat.json", said.append, options=options)


def record(recorder: Recorder, *entries: Entry) -> None:
    for entry in entries:
        recorder.add(entry)
    recorder.keep()


def test_a_turn_is_in_the_file_as_soon_as_it_is_over(
    recorder: Recorder, said: list[str], tmp_path: Path
) -> None:
    record(recorder, *turn(1, {"type": "text-delta", "delta": "Hello"}))
    assert not (tmp_path / "chat.json").exists()
    record(recorder, Ended(1))
    assert len(load(tmp_path / "chat.json", Scenario).turns) == 1
    assert said == ["turn 1: 1 chunks, text-delta: 'Hello'"]
    record(recorder, *turn(2), Ended(2), *turn(3))
    assert len(load(tmp_path / "chat.json", Scenario).turns) == 2


def test_only_ids_that_are_new_in_every_run_get_names(recorder: Recorder, tmp_path: Path) -> None:
    chunks = [{"type": "start", "messageId": MADE}, {"type": "tool-input-start", "id": THEIRS}]
    result = {"type": "tool-output-available", "output": {"order": 17}}
    record(recorder, *turn(1), Frame(101, words(THEIRS)), Chunk(1, chunks[0]), Chunk(1, chunks[1]))
    record(recorder, Chunk(1, result), Frame(101, words(f"It is {MADE}.")), Ended(1))
    (only,) = load(tmp_path / "chat.json", Scenario).turns
    assert only.chunks == [
        {"type": "start", "messageId": "<message-1>"},
        {"type": "tool-input-start", "id": THEIRS},
        {"type": "tool-output-available", "output": {"order": "<order-1>"}},
    ]
    assert only.model[0].frames == [words("Hello"), words(THEIRS), words("It is <message-1>.")]


def test_an_id_that_the_model_says_in_pieces_stays_as_it_is(
    recorder: Recorder, tmp_path: Path
) -> None:
    record(recorder, *turn(1, {"type": "start", "messageId": MADE}))
    record(recorder, Frame(101, words(MADE[:5])), Frame(101, words(MADE[5:])), Ended(1))
    contents = [{"role": "model", "parts": [{"text": MADE}]}]
    again = Asked(102, {"model": "m", "method": "streamGenerateContent", "contents": contents})
    record(recorder, Posted(2, "/api/chat", "native", {}), again, Ended(2))
    second = load(tmp_path / "chat.json", Scenario).turns[1]
    assert second.model[0].request["contents"] == contents


def test_a_refusal_is_an_answer(recorder: Recorder, tmp_path: Path) -> None:
    refused = Refused(2, 409, "Busy. (busy, reference 12345678)")
    record(recorder, *turn(1), Ended(1), Posted(2, "/api/chat", "native", {}), refused)
    second = load(tmp_path / "chat.json", Scenario).turns[1]
    assert (second.status, second.refusal) == (409, "Busy. (busy, reference <reference-1>)")


def test_nothing_is_written_before_the_model_is_asked(recorder: Recorder, tmp_path: Path) -> None:
    record(recorder, Posted(1, "/api/chat", "native", {}), Ended(1))
    assert list(tmp_path.iterdir()) == [] and recorder.turns == 0


def test_a_second_chat_is_left_out(recorder: Recorder, said: list[str], tmp_path: Path) -> None:
    assert recorder.is_recorded("HTTP", "chat")
    assert not recorder.is_recorded("HTTP", "another")
    recorder.begins(9, recorded=False)
    record(recorder, asked(109), Frame(109, words("not for us")))
    recorder.ends(9)
    record(recorder, *turn(1), Ended(1))
    assert len(said) == 2 and not recorder.is_over
    assert "not for us" not in (tmp_path / "chat.json").read_text(encoding="utf-8")


def test_two_chats_at_once_end_it(recorder: Recorder, said: list[str], tmp_path: Path) -> None:
    record(recorder, *turn(1), Ended(1))
    recorder.begins(2, recorded=True)
    recorder.begins(9, recorded=False)
    record(recorder, *turn(2), Ended(2))
    assert said[1:] == ["the recording ends here: two chats asked the model at once"]
    assert len(load(tmp_path / "chat.json", Scenario).turns) == 1


def test_another_transport_ends_it(recorder: Recorder, said: list[str]) -> None:
    assert recorder.is_recorded("HTTP", "chat")
    assert not recorder.is_recorded("the socket", "chat")
    assert said[0] == "the recording ends here: the chat goes on over the socket"


def test_a_file_that_cannot_be_written_ends_it(tmp_path: Path, said: list[str]) -> None:
    recorder = Recorder(tmp_path / "missing" / "chat.json", said.append)
    record(recorder, *turn(1), Ended(1))
    assert recorder.is_over and "missing" in said[0]


def test_what_a_file_cannot_say_ends_it(recorder: Recorder, said: list[str]) -> None:
    send = {"type": "send", "id": "chat", "messages": []}
    first, second = ({**send, "requestId": name} for name in ("r1", "r2"))
    end = Down(1, json.dumps({"type": "end", "requestId": "r2"}))
    record(recorder, Opened(1, "/live", {}), Up(1, first), Connected(2), Up(1, second), end)
    assert said == ["the recording ends here: a message was sent before the turn was over"]


def live_words(text: str) -> Json:
    return {"serverContent": {"outputTranscription": {"text": text}}}


def send(number: int) -> Up:
    return Up(1, {"type": "send", "requestId": f"r{number}", "id": "chat", "messages": []})


def received(number: int, *chunks: str) -> list[Entry]:
    head = {"requestId": f"r{number}"}
    frames = [{"type": "chunk", **head, "chunk": {"type": chunk}} for chunk in chunks]
    return [Down(1, json.dumps(frame)) for frame in frames]


def end(number: int) -> Down:
    return Down(1, json.dumps({"type": "end", "requestId": f"r{number}"}))


@pytest.mark.parametrize("is_early", [True, False], ids=["before the message", "after it"])
def test_what_the_model_says_to_a_turn_that_was_stopped(
    recorder: Recorder, tmp_path: Path, is_early: bool
) -> None:
    """If it came before the client's next message, it waits for that message on replay, too."""
    late, next_message = Said(2, live_words("too late")), [send(2), Sent(2, {"text": "2"})]
    record(
        recorder,
        Opened(1, "/live", {}),
        send(1),
        Connected(2),
        Sent(2, {"text": "1"}),
        Said(2, live_words("Hello")),
        *received(1, "start", "text-start"),
        Up(1, {"type": "abort", "requestId": "r1", "id": "chat"}),
        *received(1, "finish"),
        end(1),
        *([late, *next_message] if is_early else [*next_message, late]),
        Said(2, live_words("Again")),
        *received(2, "start", "finish"),
        end(2),
    )
    recorder.keep()
    recorded = load(tmp_path / "chat.json", SocketScenario)
    first, second = recorded.turns
    assert (first.abort_after, len(first.chunks)) == (2, 3)
    steps = recorded.connections[0][2:-1]
    if is_early:
        assert steps == [
            Step(wait="turn-2"),
            Step(send=live_words("too late")),
            Step(expect={"text": "2"}),
        ]
    else:
        assert steps == [Step(expect={"text": "2"}), Step(send=live_words("too late"))]
    assert second.signals == (["turn-2"] if is_early else [])
