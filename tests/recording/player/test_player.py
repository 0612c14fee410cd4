"""Playing a recorded chat against an app: the first turn that differs is named, and how."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_stream_protocol.recording.player import player as module
from adk_stream_protocol.recording.player.player import Player, report
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    SocketTurn,
    Step,
    Turn,
)
from adk_stream_protocol.recording.stand_in import play as plays
from adk_stream_protocol.recording.stand_in.server import GeminiServer

START, FINISH = {"type": "start", "messageId": "m9"}, {"type": "finish"}
MADE = "0a1b2c3d-0000-4000-8000-0123456789ab"


def over_http(*turns: Turn) -> Scenario:
    return Scenario("A chat.", "m", list(turns))


def over_socket(*turns: SocketTurn, path: str = "/live") -> SocketScenario:
    return SocketScenario("A chat.", "m", [], list(turns), path=path)


class App:
    """Answers every message with the same chunks, over HTTP and on a socket of either dialect."""

    def __init__(self, *chunks: Json) -> None:
        self.chunks = chunks
        self.users: list[str] = []
        self.queries: list[str] = []
        self.app: ASGIApp = Starlette(
            routes=[
                Route("/api/chat", self._post, methods=["POST"]),
                WebSocketRoute("/live", self._talk),
            ]
        )

    async def _post(self, request: Request) -> Response:
        self.users.append(request.headers.get("x-user", ""))
        text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in self.chunks)
        return PlainTextResponse(f"{text}data: [DONE]\n\n")

    async def _talk(self, websocket: WebSocket) -> None:
        self.users.append(websocket.headers.get("x-user", ""))
        self.queries.append(websocket.url.query)
        await websocket.accept()
        try:
            while True:
                frame = await websocket.receive_json()
                if "requestId" in frame:
                    await self._frames(websocket, {"requestId": frame["requestId"]})
                else:
                    await self._events(websocket)
        except WebSocketDisconnect:
            return

    async def _frames(self, websocket: WebSocket, head: Json) -> None:
        for sequence, chunk in enumerate(self.chunks):
            frame = {"type": "chunk", **head, "sequence": sequence, "chunk": chunk}
            await websocket.send_text(json.dumps(frame))
        await websocket.send_text(json.dumps({"type": "end", **head}))

    async def _events(self, websocket: WebSocket) -> None:
        for chunk in self.chunks:
            await websocket.send_text(f"data: {json.dumps(chunk)}\n\n")
        await websocket.send_text("data: [DONE]\n\n")


SAME = [{"type": "start", "messageId": "<message-1>"}, FINISH]
OTHER = [{"type": "start", "messageId": "<message-1>"}, {"type": "error"}]


@pytest.mark.parametrize("envelopes", [True, False])
async def test_a_chat_that_is_the_same_has_no_differences(
    envelopes: bool, gemini: GeminiServer
) -> None:
    app, player = App(START, FINISH), Player(gemini, {"x-user": "ann"})
    turns = [Turn({}, chunks=SAME), Turn({}, chunks=SAME)]
    assert await player.differences(over_http(*turns), app.app) == []
    client: Json = {"type": "message"} if envelopes else {"messages": []}
    spoken = [SocketTurn(client, chunks=SAME) for _ in turns]
    path = "/live?approvals=adk-tool" if envelopes else "/live"
    assert await player.differences(over_socket(*spoken, path=path), app.app) == []
    assert app.users == ["ann"] * 3
    (query,) = app.queries
    if envelopes:
        assert query.startswith("approvals=adk-tool&chatId=replay-")
    else:
        assert query == "approvals=native"


async def test_the_first_turn_that_differs_is_named(gemini: GeminiServer) -> None:
    app, player = App(START, FINISH), Player(gemini)
    expected = [
        "turn 2: chunks[1].type: expected 'error', got 'finish'",
        '  - {"type": "error"}',
        '  + {"type": "finish"}',
    ]
    turns = [Turn({}, chunks=SAME), Turn({}, chunks=OTHER), Turn({}, chunks=[])]
    assert await player.differences(over_http(*turns), app.app) == expected
    spoken = [SocketTurn({}, chunks=turn.chunks) for turn in turns]
    assert await player.differences(over_socket(*spoken), app.app) == expected


async def test_a_name_that_nobody_gave_is_named(gemini: GeminiServer) -> None:
    app, player, body = App(), Player(gemini), {"toolCallId": "<call-1>"}
    expected = ["turn 1: nothing before it was '<call-1>'"]
    assert await player.differences(over_http(Turn(body)), app.app) == expected
    assert await player.differences(over_socket(SocketTurn(body)), app.app) == expected


async def test_an_answer_that_does_not_end_is_named(
    gemini: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    async def hang(request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError("it goes on")

    async def silent(websocket: WebSocket) -> None:
        await websocket.accept()
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass

    routes = [Route("/api/chat", hang, methods=["POST"]), WebSocketRoute("/live", silent)]
    app, player = Starlette(routes=routes), Player(gemini)
    expected = ["turn 1: it did not end within 0 s"]
    assert await player.differences(over_http(Turn({})), app) == expected
    assert await player.differences(over_socket(SocketTurn({})), app) == expected


async def test_an_app_that_refuses_says_why(gemini: GeminiServer) -> None:
    async def closed(websocket: WebSocket) -> None:
        await websocket.close(4401, "Please sign in.")

    player, bare = Player(gemini), Starlette(routes=[WebSocketRoute("/live", closed)])
    (found,) = await player.differences(over_http(Turn({})), bare)
    assert found.startswith("turn 1: 404")
    (found,) = await player.differences(over_socket(SocketTurn({})), bare)
    assert "4401" in found


async def test_an_app_that_does_not_let_go_is_named(
    gemini: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    async def stubborn(websocket: WebSocket) -> None:
        await websocket.accept()
        await asyncio.Event().wait()

    app = Starlette(routes=[WebSocketRoute("/live", stubborn)])
    assert await Player(gemini).differences(over_socket(), app) == ["nothing came any more"]


async def test_a_model_that_is_not_connected_is_named(
    gemini: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays, "PATIENCE", 0.05)
    scenario = over_socket(SocketTurn({}, chunks=SAME))
    scenario.connections = [[Step(send={})]]
    (found,) = await Player(gemini).differences(scenario, App(START, FINISH).app)
    assert found.startswith("no connection was made")


async def test_what_comes_can_be_kept(gemini: GeminiServer) -> None:
    app, player = App({"type": "start", "messageId": MADE}, FINISH), Player(gemini)
    chat = over_http(Turn({}))
    await player.update(chat, app.app)
    assert chat.turns[0].chunks == SAME
    spoken = over_socket(SocketTurn({}), SocketTurn({}))
    await player.update(spoken, app.app)
    assert [turn.chunks for turn in spoken.turns] == [SAME, SAME]


def test_a_report_is_the_first_difference_with_both_chunks() -> None:
    assert report(Names(), [FINISH], [FINISH], 1) == []
    lines = report(Names(), [FINISH, FINISH], [{"type": "x" * 400}], 3)
    assert lines[0].startswith("turn 3: chunks[0].type")
    assert lines[1] == '  - {"type": "finish"}' and lines[2].endswith("…")
    assert lines[3] == "  and 1 more in this turn"
    assert report(Names(), [FINISH], [], 1)[1:] == ['  - {"type": "finish"}', "  + nothing"]
