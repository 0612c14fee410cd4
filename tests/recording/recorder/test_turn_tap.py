"""One POST, written down as it passes."""

import json
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.recorder.turn_tap import SseReader, TurnTap
from adk_stream_protocol.recording.scenario.scenario import Scenario, load
from adk_stream_protocol.recording.tapes.tape import Asked

ASKED = Asked(9, {"model": "m", "method": "streamGenerateContent", "contents": []})


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_events_are_read_from_pieces_of_any_size(size: int) -> None:
    content = b"data: 1\r\n\r\n: note\n\ndata: two\ndata: lines\n\ndata: not yet"
    reader = SseReader()
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    assert [event for piece in pieces for event in reader.feed(piece)] == [b"1", b"two\nlines"]


class Exchange:
    """A request with its body, and the messages of an app that answers it."""

    def __init__(self, recorder: Recorder, body: object, *answer: Message) -> None:
        self._body = json.dumps(body).encode()
        self._answer = answer
        self.sent: list[Message] = []
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/chat",
            "query_string": b"approvals=adk-tool",
            "headers": [(b"accept-encoding", b"gzip")],
        }
        self._tap = TurnTap(recorder, scope, self._receive, self._send)
        self._recorder = recorder

    async def run(self) -> None:
        await self._tap.run(self._app)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["headers"] == []
        await receive()
        self._recorder.add(ASKED)
        for message in self._answer:
            await send(message)

    async def _receive(self) -> Message:
        return {"type": "http.request", "body": self._body}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


def start(status: int) -> Message:
    return {"type": "http.response.start", "status": status, "headers": []}


def body(content: bytes) -> Message:
    return {"type": "http.response.body", "body": content}


async def test_a_stream_is_passed_on_and_written_down(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "chat.json", lambda line: None)
    answer = [start(200), body(b'data: {"type":"start"}\n\n'), body(b"data: [DONE]\n\n")]
    exchange = Exchange(recorder, {"id": "chat", "messages": []}, *answer)
    await exchange.run()
    assert exchange.sent == answer
    scenario = load(tmp_path / "chat.json", Scenario)
    (turn,) = scenario.turns
    assert (turn.client, turn.chunks) == ({"messages": []}, [{"type": "start"}])
    assert scenario.approvals == "adk-tool"


async def test_a_refusal_is_written_down(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "chat.json", lambda line: None)
    await Exchange(recorder, {"id": "chat"}, start(409), body(b"Busy.")).run()
    (turn,) = load(tmp_path / "chat.json", Scenario).turns
    assert (turn.status, turn.refusal) == (409, "Busy.")


async def test_a_stream_that_breaks_off_ends_the_recording(tmp_path: Path) -> None:
    said: list[str] = []
    recorder = Recorder(tmp_path / "chat.json", said.append)
    await Exchange(recorder, {"id": "chat"}, start(200), body(b"data: {}\n\n")).run()
    assert recorder.is_over and said == ["the recording ends here: a turn broke off"]


async def test_what_is_no_object_is_only_passed_on(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "chat.json", lambda line: None)
    exchange = Exchange(recorder, ["no", "object"], start(422), body(b"No."))
    await exchange.run()
    assert len(exchange.sent) == 2 and not recorder.is_over
    assert recorder.turns == 0
