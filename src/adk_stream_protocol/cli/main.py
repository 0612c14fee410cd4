"""The `adk-stream` command: its arguments, and the variables `ADK_STREAM_*`."""

import argparse
import os
import sys
from pathlib import Path
from typing import Literal

from starlette.applications import Starlette

from adk_stream_protocol.cli.approvals import add_commands
from adk_stream_protocol.cli.logs import FORMATS, log_lines
from adk_stream_protocol.cli.record import add_record
from adk_stream_protocol.cli.replay import add_replay
from adk_stream_protocol.cli.serve import Supervisor, serve
from adk_stream_protocol.demo.app import DemoSettings, build_app


def main() -> None:
    """Run the command line."""
    arguments = _parser().parse_args()
    arguments.run(arguments)


def _demo(arguments: argparse.Namespace) -> None:
    settings = _settings(arguments)
    address = (arguments.host, arguments.port, settings.max_body)
    if arguments.workers > 1:
        _explain_workers(arguments.workers, settings)
    if arguments.fd is None:
        print(f"adk-stream demo on http://{arguments.host}:{arguments.port}", flush=True)
    if arguments.workers > 1:
        module = "adk_stream_protocol.cli.main"  # which is __main__ to itself
        command = [sys.executable, "-m", module, *sys.argv[1:], "--workers", "1"]
        sys.exit(Supervisor(command, arguments.host, arguments.port).run(arguments.workers))
    serve(_app(settings), *address, fd=arguments.fd)


def app() -> Starlette:
    """The demo from its environment alone, for any server: `uvicorn --factory …cli.main:app`."""
    return _app(_settings(_parser().parse_args(["demo"])))


def _app(settings: DemoSettings) -> Starlette:
    _log_lines()
    return build_app(settings)


def _log_lines() -> None:
    log_lines(_env("LOG_LEVEL", "warning").lower(), _one_of("LOG_FORMAT", *FORMATS))


def _explain_workers(workers: int, settings: DemoSettings) -> None:
    if not settings.redis_url:
        raise SystemExit(
            f"--workers {workers} needs ADK_STREAM_REDIS_URL: without Redis no worker can resume,"
            " stop or answer what runs on another."
        )
    if not settings.database_url:
        print("Sessions and approvals are in SQLite files: all workers must be on this host.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="adk-stream", description="ADK agents for useChat.")
    commands = parser.add_subparsers(required=True, metavar="command")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--state", type=Path, default=Path(_env("STATE", ".state")))
    demo = commands.add_parser("demo", help="serve the demo agent", parents=[common])
    demo.add_argument("--host", default="127.0.0.1")
    demo.add_argument("--port", type=int, default=8000)
    demo.add_argument("--workers", type=int, default=1, help="processes; more need Redis")
    demo.add_argument("--fd", type=int, help=argparse.SUPPRESS)  # a worker's socket
    demo.add_argument("--model", help="a model name such as gemini-2.5-flash; scripted without it")
    demo.add_argument("--live-model", help="the model of live chats; without it the same")
    demo.set_defaults(run=_demo)
    approvals = commands.add_parser("approvals", help="look at the approval records")
    add_commands(approvals, common, lambda arguments: _settings(arguments).approvals_url)
    add_record(commands.add_parser("record", help="write a chat into a file"), _settings)
    add_replay(commands.add_parser("replay", help="play recorded chats, without a model"))
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
        recent_events=int(_env("RECENT_EVENTS", "0")) or None,
    )


def _env(name: str, default: str) -> str:
    return os.environ.get(f"ADK_STREAM_{name}", default)


def _live_calls() -> Literal["sequential", "parallel"]:
    value = _env("LIVE_CALLS", "sequential")
    if value == "sequential" or value == "parallel":
        return value
    raise SystemExit(f"ADK_STREAM_LIVE_CALLS: sequential or parallel is expected, not {value!r}")


def _one_of(name: str, default: str, *others: str) -> str:
    value = _env(name, default)
    if value in (default, *others):
        return value
    raise SystemExit(f"ADK_STREAM_{name}: {' or '.join((default, *others))} is expected")


def _names(name: str, default: str) -> tuple[str, ...]:
    return tuple(
        part.strip() for part in _env(name, default).replace("|", ",").split(",") if part.strip()
    )


if __name__ == "__main__":
    main()
