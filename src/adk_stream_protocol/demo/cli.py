"""The `adk-stream` command. The only place that reads the environment."""

import argparse
import logging
import os
from pathlib import Path
from socket import socket
from typing import Literal

import uvicorn

from adk_stream_protocol.demo.app import DemoSettings, build_app
from adk_stream_protocol.demo.approvals_cli import add_commands
from adk_stream_protocol.runtime.chat import Chat


def main() -> None:
    """Run the command line."""
    arguments = _parser().parse_args()
    arguments.run(arguments)


def _demo(arguments: argparse.Namespace) -> None:
    level = _env("LOG_LEVEL", "warning").lower()
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    settings = _settings(arguments)
    app = build_app(settings)
    config = uvicorn.Config(
        app,
        host=arguments.host,
        port=arguments.port,
        log_level=level,
        access_log=False,
        timeout_graceful_shutdown=5,
        ws="websockets-sansio",
        ws_max_size=settings.max_body,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=20,
    )
    print(f"adk-stream demo on http://{arguments.host}:{arguments.port}", flush=True)
    DrainingServer(config, app.state.chat).run()


class DrainingServer(uvicorn.Server):
    """Ends the running turns first: uvicorn would wait for their streams, not the reverse."""

    def __init__(self, config: uvicorn.Config, chat: Chat) -> None:
        super().__init__(config)
        self._chat = chat

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        await self._chat.close()
        await super().shutdown(sockets)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="adk-stream", description="ADK agents for useChat.")
    commands = parser.add_subparsers(required=True, metavar="command")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--state", type=Path, default=Path(_env("STATE", ".state")))
    demo = commands.add_parser("demo", help="serve the demo agent", parents=[common])
    demo.add_argument("--host", default="127.0.0.1")
    demo.add_argument("--port", type=int, default=8000)
    demo.add_argument("--model", help="a model name such as gemini-2.5-flash; scripted without it")
    demo.add_argument("--live-model", help="a live model name; scripted without it")
    demo.set_defaults(run=_demo)
    approvals = commands.add_parser("approvals", help="look at the approval records")
    add_commands(approvals, common, lambda arguments: _settings(arguments).approvals_url)
    return parser


def _settings(arguments: argparse.Namespace) -> DemoSettings:
    return DemoSettings(
        state=arguments.state,
        model=getattr(arguments, "model", None),
        live_model=getattr(arguments, "live_model", None),
        live_calls=_live_calls(),
        disconnect_grace=float(_env("DISCONNECT_GRACE", "30")),
        database_url=_env("DATABASE_URL", "") or None,
        redis_url=_env("REDIS_URL", "") or None,
        payment_sink_url=os.environ.get("PAYMENT_SINK_URL") or None,
        users=_names("DEMO_USERS", "alice,bob,carol"),
        allowed_origins=_names("ALLOWED_ORIGINS", ""),
        max_body=int(_env("MAX_BODY", str(10 * 1024 * 1024))),
        approval_ttl=float(_env("APPROVAL_TTL", "600")),
        client_tool_ttl=float(_env("CLIENT_TOOL_TTL", "600")),
    )


def _env(name: str, default: str) -> str:
    return os.environ.get(f"ADK_STREAM_{name}", default)


def _live_calls() -> Literal["sequential", "parallel"]:
    value = _env("LIVE_CALLS", "sequential")
    if value == "sequential" or value == "parallel":
        return value
    raise SystemExit(f"ADK_STREAM_LIVE_CALLS: sequential or parallel is expected, not {value!r}")


def _names(name: str, default: str) -> tuple[str, ...]:
    return tuple(
        part.strip() for part in _env(name, default).replace("|", ",").split(",") if part.strip()
    )
