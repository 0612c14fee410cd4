"""Tools of an application's own behind the real Gemini class: those that raise, those that end
together. The model gets one answer per call, and the chat goes on.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.google_llm import Gemini
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.function_tool import FunctionTool
from starlette.applications import Starlette

from adk_stream_protocol.demo.recorded_app import closing_model
from adk_stream_protocol.mount import LiveOptions, mount
from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Exchange, SocketTurn, Step
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.clients.http import Reply
from tests.support.servers.real_models import LIVE_MODELS, MODEL

FAILED = "The tool {} failed (reference <reference-1>)."
READY = [Step(expect={"setup": {}}), Step(send={"setupComplete": {}})]
SAID: list[Step] = [
    Step(send={"serverContent": {"outputTranscription": {"text": "Sorry."}}}),
    Step(send={"serverContent": {"generationComplete": True}}),
    Step(send={"serverContent": {"turnComplete": True}}),
]


class Tools:
    """Two tools, one of which needs approval, and how often they were entered."""

    def __init__(self) -> None:
        self.starts: list[str] = []

    def look(self) -> dict[str, Any]:
        """Look, and fail."""
        self.starts.append("look")
        raise RuntimeError("a secret of the server's")

    def delete(self, name: str) -> dict[str, Any]:
        """Delete what has this name."""
        self.starts.append(f"delete {name}")
        if name == "broken":
            raise RuntimeError("a secret of the server's")
        return {"deleted": name}

    def agent(self, model: Gemini) -> LlmAgent:
        gated = FunctionTool(self.delete, require_confirmation=True)
        return LlmAgent(name="assistant", model=model, tools=[self.look, gated])


@asynccontextmanager
async def served(
    tools: Tools, live: LiveOptions | None = None
) -> AsyncGenerator[tuple[Starlette, httpx.AsyncClient]]:
    async with closing_model(Gemini(model=MODEL)) as model:
        app = Starlette()
        sessions = InMemorySessionService()
        agent = tools.agent(model)
        mount(app, agent, identify=lambda _: "local", session_service=sessions, live=live)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://demo", timeout=60) as client,
        ):
            yield app, client


def typed(text: str) -> Json:
    return {"messages": [{"id": "u1", "role": "user", "parts": [{"type": "text", "text": text}]}]}


def approved(asked: list[Json]) -> Json:
    """A yes to every request of a reply, in one message."""
    requests = [chunk for chunk in asked if chunk["type"] == "tool-approval-request"]
    parts = [
        {
            "type": "tool-delete",
            "toolCallId": request["toolCallId"],
            "state": "approval-responded",
            "approval": {"id": request["approvalId"], "approved": True},
        }
        for request in requests
    ]
    return {"messages": [{"id": "m1", "role": "assistant", "parts": parts}]}


def of_kind(chunks: list[Json], kind: str) -> list[Json]:
    return [chunk for chunk in chunks if chunk["type"] == kind]


def frame(**part: Any) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}


def is_reported(chunks: list[Json], tool: str) -> bool:
    (error,) = of_kind(chunks, "tool-output-error")
    return Names().differences(FAILED.format(tool), error["errorText"]) == []


@pytest.mark.parametrize("tool", ["look", "delete"])
async def test_a_tool_that_raises_over_http(gemini: GeminiServer, tool: str) -> None:
    tools, args = Tools(), {"name": "broken"} if tool == "delete" else {}
    called = {"id": "fc-1", "name": tool, "args": args}
    outcome = {"error": FAILED.format(tool), "outcome": "failed"}
    answer = {"functionResponse": {"id": "fc-1", "name": tool, "response": outcome}}
    asked = {"role": "user", "parts": [{"text": "Go"}]}
    wanted = [asked, {"role": "model", "parts": [{"functionCall": called}]}]
    exchanges = [
        Exchange({"contents": [asked]}, frames=[frame(functionCall=called)]),
        Exchange(
            {"contents": [*wanted, {"role": "user", "parts": [answer]}]},
            frames=[frame(text="Sorry.")],
        ),
    ]
    play = gemini.play(Play(Names(), exchanges=exchanges))
    async with served(tools) as (_, client):
        reply = await client.post("/api/chat", json={"id": "chat", **typed("Go")})
        chunks = Reply(reply.status_code, reply.text).chunks
        if tool == "delete":
            yes = {"id": "chat", **approved(chunks)}
            reply = await client.post("/api/chat", json=yes)
            chunks = Reply(reply.status_code, reply.text).chunks
    play.finish()
    assert is_reported(chunks, tool)
    assert [chunk["delta"] for chunk in of_kind(chunks, "text-delta")] == ["Sorry."]
    assert len(tools.starts) == 1


def live_script(family: str, calls: list[Json], answers: list[Json]) -> list[Step]:
    turns = [{"role": "user", "parts": [{"text": "Go"}]}]
    two = {"client_content": {"turns": turns, "turn_complete": True}}
    at_once = family == "3.1"
    return [
        *READY,
        Step(expect={"realtime_input": {"text": "Go"}} if at_once else two),
        Step(send={"toolCall": {"functionCalls": calls}}),
        *([] if at_once else SAID[-1:]),
        Step(expect_all=[{"tool_response": {"functionResponses": [one]}} for one in answers]),
        *SAID,
    ]


@pytest.mark.parametrize("family", LIVE_MODELS)
@pytest.mark.parametrize("tool", ["look", "delete"])
async def test_a_tool_that_raises_on_the_socket(
    gemini: GeminiServer, family: str, tool: str
) -> None:
    tools, args = Tools(), {"name": "broken"} if tool == "delete" else {}
    outcome = {"error": FAILED.format(tool), "outcome": "failed"}
    steps = live_script(
        family,
        [{"id": "fc-1", "name": tool, "args": args}],
        [{"id": "fc-1", "name": tool, "response": outcome}],
    )
    play = gemini.play(Play(Names(), connections=[steps]))
    options = LiveOptions(model=LIVE_MODELS[family])
    async with served(tools, options) as (app, _), AsgiSocket(app, "/live") as socket:
        chat = SocketChat(socket, play)
        chunks = await chat.play(SocketTurn(typed("Go")))
        if tool == "delete":
            chunks = await chat.play(SocketTurn(approved(chunks)))
    play.finish()
    assert is_reported(chunks, tool)
    assert [chunk["delta"] for chunk in of_kind(chunks, "text-delta")] == ["Sorry."]
    assert len(tools.starts) == 1


@pytest.mark.parametrize("family", LIVE_MODELS)
async def test_two_calls_approved_in_one_message(gemini: GeminiServer, family: str) -> None:
    tools, names = Tools(), {"fc-a": "a", "fc-b": "b"}
    calls = [{"id": one, "name": "delete", "args": {"name": n}} for one, n in names.items()]
    answers = [
        {"id": one, "name": "delete", "response": {"deleted": n}} for one, n in names.items()
    ]
    play = gemini.play(Play(Names(), connections=[live_script(family, calls, answers)]))
    options = LiveOptions(model=LIVE_MODELS[family], calls="parallel")
    async with served(tools, options) as (app, _), AsgiSocket(app, "/live") as socket:
        chat = SocketChat(socket, play)
        asked = await chat.play(SocketTurn(typed("Go")))
        chunks = await chat.play(SocketTurn(approved(asked)))
    play.finish()
    assert [one["toolCallId"] for one in of_kind(asked, "tool-approval-request")] == list(names)
    results = of_kind(chunks, "tool-output-available")
    assert {one["toolCallId"]: one["output"]["deleted"] for one in results} == names
    assert [chunk["delta"] for chunk in of_kind(chunks, "text-delta")] == ["Sorry."]
    assert sorted(tools.starts) == ["delete a", "delete b"]
