"""The tap in front of an app: what passes it is recorded, passed on, or ends the recording."""

from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.client_tap import ClientTap
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.scenario import Scenario, load
from adk_stream_protocol.recording.tapes.tape import Asked

SECRET, COOKIE = "a-bearer-that-nobody-else-has", "a-cookie-that-nobody-else-has"


class Tapped:
    """An app that answers everything at once, behind its tap."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "chat.json"
        self.told: list[str] = []
        self.recorder = Recorder(self.file, self.told.append)
        self.served: list[str] = []
        self.sent: list[Message] = []
        self.tap = ClientTap(self._app, self.recorder)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.served.append(scope.get("path", scope["type"]))
        if scope["type"] == "http" and scope["path"] == "/api/chat":
            await receive()
            request = {"model": "m", "method": "generateContent", "contents": [SECRET, COOKIE]}
            self.recorder.add(Asked(99, request))
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})

    async def call(self, kind: str, path: str, method: str = "POST", **headers: str) -> None:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope: Any = {
            "type": kind,
            "path": path,
            "method": method,
            "headers": raw,
            "query_string": b"",
        }
        if kind == "websocket":
            del scope["method"]
        await self.tap(scope, self.receive, self.send)

    async def receive(self) -> Message:
        return {"type": "http.request", "body": b'{"id": "chat", "messages": []}'}

    async def send(self, message: Message) -> None:
        self.sent.append(message)


@pytest.fixture
def tapped(tmp_path: Path) -> Tapped:
    return Tapped(tmp_path)


async def test_a_turn_is_recorded_and_passed_on(tapped: Tapped) -> None:
    await tapped.call("http", "/api/chat")
    assert tapped.served == ["/api/chat"] and len(tapped.sent) == 2
    assert load(tapped.file, Scenario).turns[0].client == {"messages": []}


@pytest.mark.parametrize("scheme", ["Bearer", "Basic"])
async def test_what_signs_a_client_in_is_in_no_file(tapped: Tapped, scheme: str) -> None:
    cookies = f"a=b; session={COOKIE}"
    await tapped.call("http", "/api/chat", authorization=f"{scheme} {SECRET}", cookie=cookies)
    content = tapped.file.read_text(encoding="utf-8")
    assert "contents" in content and SECRET not in content and COOKIE not in content


async def test_a_cookie_that_cannot_be_read_is_no_obstacle(tapped: Tapped) -> None:
    await tapped.call("http", "/api/chat", cookie="a\x00b=\x01; =;;")
    assert tapped.recorder.turns == 1


@pytest.mark.parametrize(
    ("path", "method"),
    [("/healthz", "GET"), ("/api/chats", "GET"), ("/api/chat", "GET"), ("/api/approvals", "GET")],
)
async def test_all_else_is_passed_on(tapped: Tapped, path: str, method: str) -> None:
    await tapped.call("http", path, method)
    assert tapped.served == [path] and not tapped.recorder.is_over and not tapped.file.exists()


async def test_the_lifespan_is_passed_on(tapped: Tapped) -> None:
    await tapped.tap({"type": "lifespan"}, tapped.receive, tapped.send)
    assert tapped.served == ["lifespan"]


@pytest.mark.parametrize("path", ["/live", "/events"])
async def test_sockets_are_served(tapped: Tapped, path: str) -> None:
    await tapped.call("websocket", path)
    assert tapped.served == [path] and not tapped.recorder.is_over


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/api/chat/c/stop", "a turn was stopped over HTTP"),
        ("/api/approvals/a1", "a request was decided outside of the chat"),
    ],
)
async def test_what_a_file_cannot_say_ends_the_recording(
    tapped: Tapped, path: str, reason: str
) -> None:
    await tapped.call("http", path, "GET")
    assert not tapped.recorder.is_over
    await tapped.call("http", path)
    assert tapped.told == [f"the recording ends here: {reason}"]
    assert tapped.served == [path, path], "it is served all the same"
