"""A scenario over HTTP: what is posted, what the model is asked, and what comes back."""

import json
from typing import Any

import httpx
import pytest

from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.scenario.scenario import Exchange, Scenario, Turn
from adk_stream_protocol.recording.stand_in.server import GeminiServer

STREAM = 'data: {"type":"start","messageId":"m9"}\n\n: note\n\ndata: {"type":"finish"}\n\n'
DONE = "data: [DONE]\n\n"


class Server:
    """Keeps what is posted; answers as the test says."""

    def __init__(self, status: int = 200, text: str = STREAM + DONE) -> None:
        self.status = status
        self.text = text
        self.paths: list[str] = []
        self.bodies: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.raw_path.decode())
        self.bodies.append(json.loads(request.content))
        return httpx.Response(self.status, text=self.text)

    def chat(self, gemini: GeminiServer) -> HttpChat:
        client = httpx.AsyncClient(
            transport=httpx.MockTransport(self), base_url="http://demo", trust_env=False
        )
        scenario = Scenario("A chat.", "m", [], path="/shop/api/chat", approvals="adk-tool")
        return HttpChat(client, scenario, gemini, "chat-1")


async def test_a_message_is_posted_and_its_chunks_are_read(gemini: GeminiServer) -> None:
    server = Server()
    chunks, play = await server.chat(gemini).play(Turn({"messages": []}))
    assert chunks == [{"type": "start", "messageId": "m9"}, {"type": "finish"}]
    assert server.paths == ["/shop/api/chat?approvals=adk-tool"]
    assert server.bodies == [{"id": "chat-1", "messages": []}] and play.received == []


async def test_names_that_were_learnt_are_posted(gemini: GeminiServer) -> None:
    server = Server()
    chat = server.chat(gemini)
    chat.names.differences("<call-1>", "c9")
    await chat.play(Turn({"toolCallId": "<call-1>"}))
    assert server.bodies == [{"id": "chat-1", "toolCallId": "c9"}]


async def test_a_model_that_is_not_asked_is_a_failure(gemini: GeminiServer) -> None:
    with pytest.raises(AssertionError, match="was not asked"):
        await Server().chat(gemini).play(Turn({}, [Exchange({}, frames=[])]))


@pytest.mark.parametrize(
    ("server", "about"),
    [(Server(409, "Busy."), "409: Busy."), (Server(200, STREAM), "finish")],
    ids=["refused", "broken off"],
)
async def test_an_answer_that_is_no_whole_stream_is_a_failure(
    server: Server, about: str, gemini: GeminiServer
) -> None:
    with pytest.raises(AssertionError, match=about):
        await server.chat(gemini).play(Turn({}))


async def test_a_refusal_is_compared(gemini: GeminiServer) -> None:
    turn = Turn({}, status=409, refusal="Busy. (reference <reference-1>)")
    chat = Server(409, "Busy. (reference 12345678)").chat(gemini)
    chunks, _ = await chat.play(turn)
    assert chunks == [] and chat.names.fill("<reference-1>") == "12345678"
    for other in (Server(409, "Gone."), Server(200), Server(410, "Busy. (reference 1)")):
        with pytest.raises(AssertionError, match="answer"):
            await other.chat(gemini).play(turn)
