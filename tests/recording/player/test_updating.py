"""Keeping what came: chunks with names for what is new, and what the model was asked."""

import json

import httpx
import pytest

from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.player.updating import name_steps, update_http, update_socket
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import (
    Exchange,
    Scenario,
    SocketScenario,
    SocketTurn,
    Step,
    Turn,
)
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer

MADE = "0a1b2c3d-0000-4000-8000-0123456789ab"
START = {"type": "start", "messageId": MADE}
NAMED = {"type": "start", "messageId": "<message-1>"}


class Served:
    """An app that asks the model what its client was told, and streams one chunk."""

    def __init__(self, gemini: GeminiServer, *chunks: Json) -> None:
        self._gemini = gemini
        self._chunks = chunks

    async def answer(self, request: httpx.Request) -> httpx.Response:
        contents = [{"role": "user", "parts": [{"text": MADE}]}]
        asked = {"contents": contents, "tools": ["long"], "safetySettings": [MADE]}
        path = "/v1/models/gemini:streamGenerateContent"
        key = self._gemini.environment["GOOGLE_API_KEY"]
        async with httpx.AsyncClient(verify=False, trust_env=False) as client:
            answer = await client.post(
                f"{self._gemini.url}{path}", json=asked, headers={"x-goog-api-key": key}
            )
        assert answer.status_code == 200, answer.text
        text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in self._chunks)
        return httpx.Response(200, text=f"{text}data: [DONE]\n\n")


async def test_what_comes_over_http_is_kept_with_names(gemini: GeminiServer) -> None:
    exchange = Exchange({"safetySettings": "old"}, frames=[{"candidates": []}])
    scenario = Scenario("A chat.", "gemini", [Turn({}, [exchange], [{"type": "old"}])])
    transport = httpx.MockTransport(Served(gemini, START).answer)
    async with httpx.AsyncClient(transport=transport, base_url="http://demo") as client:
        await update_http(scenario, HttpChat(client, scenario, gemini))
    (turn,) = scenario.turns
    assert turn.chunks == [NAMED]
    assert exchange.request == {
        "method": "streamGenerateContent",
        "contents": [{"role": "user", "parts": [{"text": "<message-1>"}]}],
        "safetySettings": ["<message-1>"],
    }, "what the file named before, and what it always names"


class Chat:
    """A chat on a socket that brings these chunks, one list for each turn."""

    def __init__(self, *turns: list[Json]) -> None:
        self._turns = list(turns)

    async def play(self, turn: SocketTurn) -> list[Json]:
        return self._turns.pop(0)


async def test_what_comes_over_the_socket_is_kept_with_names() -> None:
    theirs = MADE.replace("0a1b", "ffff")
    steps = [Step(send={"id": theirs}), Step(expect={"id": MADE}), Step(expect_all=[{"n": MADE}])]
    turns = [SocketTurn({}), SocketTurn({})]
    scenario = SocketScenario("A chat.", "m", [steps], turns)
    second = {"type": "data", "id": theirs, "again": MADE}
    play = Play(Names(), connections=scenario.connections)
    naming = await update_socket(scenario, Chat([START], [second]), play)
    assert [turn.chunks for turn in turns] == [
        [NAMED],
        [{"type": "data", "id": theirs, "again": "<message-1>"}],
    ], "the model's own ids stay"
    name_steps(scenario.connections, naming)
    assert steps[1].expect == {"id": "<message-1>"}
    assert steps[2].expect_all == [{"n": "<message-1>"}] and steps[0].send == {"id": theirs}


async def test_a_chat_that_cannot_be_compared_with_itself_is_a_failure() -> None:
    """A name that stands for two things: the file could never be played again."""
    play = Play(Names())
    play.names.differences("<message-1>", "another")
    scenario = SocketScenario("A chat.", "m", [], [SocketTurn({})])
    with pytest.raises(AssertionError):
        await update_socket(scenario, Chat([START]), play)


def test_steps_without_ids_stay_as_they_are() -> None:
    steps = [Step(expect={"text": "Hi"}), Step(close=1011)]
    name_steps([steps], Naming())
    assert steps == [Step(expect={"text": "Hi"}), Step(close=1011)]
