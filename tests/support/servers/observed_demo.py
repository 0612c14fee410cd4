"""A server process that keeps its telemetry in memory and shows it: `python -m` this module.

OpenTelemetry's providers are set once per process, so the tests' own process has none.
"""

import argparse
import json
import socket
from pathlib import Path
from typing import Any

import uvicorn
from google.adk.agents.llm_agent import LlmAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.function_tool import FunctionTool
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from adk_stream_protocol import ApprovalPolicy, Chats, ClientTool, LiveOptions, mount
from adk_stream_protocol.cli.logs import log_lines
from adk_stream_protocol.demo.app import DemoSettings, build_app
from adk_stream_protocol.testing import ScriptedModel
from adk_stream_protocol.transports.uvicorn import UVICORN

SHORT = 0.5
"""Seconds that a person or a browser has under `/short`."""


def failing(recipient: str) -> dict[str, Any]:
    """Raises what it was called with."""
    raise ValueError(f"no account of {recipient}")


def hurried(recipient: str) -> dict[str, Any]:
    """Has to be approved at once."""
    return {"recipient": recipient}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--user")
    given = parser.parse_args()
    spans, numbers = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([numbers]))
    log_lines("info", "json")
    app = build_app(DemoSettings(given.state, users=(given.user,)))
    mount_short(app)
    app.router.routes[:0] = [shown(spans, numbers), left(app.state.chats)]
    listening = socket.create_server(("127.0.0.1", given.port))
    # Inherited: a client that does not read is felt at once.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    config = uvicorn.Config(app, log_config=None, access_log=False, **UVICORN)
    uvicorn.Server(config).run(sockets=[listening])


def mount_short(app: Starlette) -> None:
    """A second agent, for which nobody has much time."""
    position = ClientTool("position", description="Where the user is.", parameters={})
    gated = [FunctionTool(one, require_confirmation=True) for one in (failing, hurried)]
    mount(
        app,
        LlmAgent(name="hasty", model=ScriptedModel(), tools=[*gated, position]),
        identify=lambda connection: "somebody",
        prefix="/short",
        session_service=InMemorySessionService(),
        policies=[ApprovalPolicy("failing", ttl=600)],
        approval_ttl=SHORT,
        client_tool_ttl=SHORT,
        live=LiveOptions(modality="text"),
    )


def shown(spans: InMemorySpanExporter, numbers: InMemoryMetricReader) -> Route:
    """GET: every span that has ended, and what the metrics say now."""

    async def endpoint(request: Request) -> Response:
        data = numbers.get_metrics_data()
        return JSONResponse(
            {
                "spans": [json.loads(span.to_json()) for span in spans.get_finished_spans()],
                "metrics": json.loads(data.to_json()) if data else {},
            }
        )

    return Route("/telemetry", endpoint)


def left(chats: Chats) -> Route:
    """GET: end a live run, as the end of its grace does."""

    async def endpoint(request: Request) -> Response:
        chat = chats.get(**request.path_params)
        if chat and chat.live:
            await chat.live.close()
        return Response()

    return Route("/leave/{user_id}/{chat_id}", endpoint)


if __name__ == "__main__":
    main()
