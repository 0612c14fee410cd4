"""A client's socket, written down as its messages pass: in either dialect, for one chat."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.recorder.socket_tap import SocketTap
from adk_stream_protocol.recording.scenario.scenario import SocketScenario, SocketTurn, load
from adk_stream_protocol.recording.tapes.tape import Connected

SEND = {"type": "send", "requestId": "r1", "id": "chat", "messages": []}
CHUNK = {"type": "chunk", "requestId": "r1", "sequence": 0, "chunk": {"type": "start"}}
END = '{"type":"end","requestId":"r1"}'


def text(frame: object) -> Message:
    return {"type": "websocket.receive", "text": json.dumps(frame)}


def answer(frame: object) -> Message:
    content = frame if isinstance(frame, str) else json.dumps(frame)
    return {"type": "websocket.send", "text": content}


class Conversation:
    """An app that takes all that is sent up, and then answers."""

    def __init__(self, recorder: Recorder, up: list[Message], down: list[Message]) -> None:
        self.recorder = recorder
        self.up = list(up)
        self.down = down
        self.seen: list[Message] = []
        self.sent: list[Message] = []

    async def run(self, query: str = "", *, fails: bool = False) -> None:
        scope: Any = {
            "type": "websocket",
            "path": "/live",
            "query_string": query.encode(),
            "headers": [],
        }

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            for _ in range(len(self.up)):
                self.seen.append(await receive())
            self.recorder.add(Connected(99))
            for message in self.down:
                await send(message)
            if fails:
                raise OSError("the app failed")

        await SocketTap(self.recorder, scope, self._receive, self._send).run(app)

    async def _receive(self) -> Message:
        return self.up.pop(0)

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "chat.json", lambda line: None)


def turns_in(folder: Path) -> list[SocketTurn]:
    return load(folder / "chat.json", SocketScenario).turns


async def test_a_turn_is_passed_on_and_in_the_file_at_its_end(
    recorder: Recorder, tmp_path: Path
) -> None:
    down: list[Message] = [{"type": "websocket.accept"}, answer(CHUNK), answer(END)]
    conversation = Conversation(recorder, [text(SEND)], down)
    await conversation.run("approvals=adk-tool")
    assert conversation.sent == down and conversation.seen == [text(SEND)]
    assert turns_in(tmp_path) == [SocketTurn({"messages": []}, chunks=[{"type": "start"}])]
    assert load(tmp_path / "chat.json", SocketScenario).approvals == "adk-tool"


@pytest.mark.parametrize(
    ("frame", "query", "chat"),
    [
        ({"type": "message", "chatId": "c1", "id": "c2"}, "", "c1"),
        ({"type": "message", "id": "c2", "data": {"chatId": "c3"}}, "", "c2"),
        ({"type": "message", "data": {"chatId": "c3"}}, "chatId=c4", "c3"),
        ({"type": "message", "data": {"id": "c5"}}, "", "c5"),
        ({"type": "message", "data": "no object"}, "chatId=c4", "c4"),
    ],
)
async def test_the_chat_is_named_by_the_frame_or_the_address(
    frame: dict[str, Any], query: str, chat: str, recorder: Recorder
) -> None:
    await Conversation(recorder, [text(frame)], []).run(query)
    assert recorder.is_recorded("the socket", chat)
    assert not recorder.is_recorded("the socket", f"not-{chat}")


async def test_a_socket_without_a_name_is_a_chat_of_its_own(recorder: Recorder) -> None:
    await Conversation(recorder, [text({"type": "message"})], []).run()
    assert not recorder.is_recorded("the socket", "chat")


async def test_another_chat_is_only_passed_on(recorder: Recorder) -> None:
    assert recorder.is_recorded("the socket", "another")
    conversation = Conversation(recorder, [text(SEND)], [answer(CHUNK), answer(END)])
    await conversation.run()
    assert len(conversation.sent) == 2 and recorder.turns == 0


@pytest.mark.parametrize(
    "message",
    [
        text({"type": "ping"}),
        text(["no", "object"]),
        text({"no": "type"}),
        {"type": "websocket.receive", "text": "no JSON"},
        {"type": "websocket.receive"},
        {"type": "websocket.disconnect", "code": 1000},
    ],
)
async def test_what_names_no_chat_begins_no_recording(message: Message, recorder: Recorder) -> None:
    conversation = Conversation(recorder, [message], [answer(CHUNK)])
    await conversation.run()
    assert conversation.seen == [message] and len(conversation.sent) == 1
    assert recorder.is_recorded("the socket", "anything"), "the first chat is still to come"


async def test_what_is_not_text_is_speech(recorder: Recorder, tmp_path: Path) -> None:
    voice: Message = {"type": "websocket.receive", "bytes": b"\x00\x01"}
    message = text({"type": "message", "version": "1.0", "id": "chat"})
    down = [answer('data: {"type":"start"}\n\n'), answer("data: [DONE]\n\n")]
    await Conversation(recorder, [message, voice], down).run()
    (turn,) = turns_in(tmp_path)
    assert turn.then == [{"type": "audio", "audio": base64.b64encode(b"\x00\x01").decode()}]


async def test_frames_may_come_as_bytes(recorder: Recorder, tmp_path: Path) -> None:
    sent: Message = {"type": "websocket.receive", "bytes": json.dumps(SEND).encode()}
    await Conversation(recorder, [sent], [answer(END)]).run()
    assert turns_in(tmp_path) == [SocketTurn({"messages": []})]


async def test_what_is_complete_is_kept_also_if_the_app_fails(
    recorder: Recorder, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="the app failed"):
        await Conversation(recorder, [text(SEND)], [answer(END)]).run(fails=True)
    assert len(turns_in(tmp_path)) == 1
