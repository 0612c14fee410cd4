"""The `adk-stream` command and its sub-commands."""

import argparse
import sys
from pathlib import Path

from starlette.applications import Starlette

from adk_stream_protocol.cli.approvals import add_commands
from adk_stream_protocol.cli.logs import log_lines
from adk_stream_protocol.cli.record import add_record
from adk_stream_protocol.cli.replay import add_replay
from adk_stream_protocol.cli.serve import Supervisor, serve
from adk_stream_protocol.cli.settings import default_state, log_settings, settings_of
from adk_stream_protocol.demo.app import DemoSettings, build_app


def main() -> None:
    """Run the command line."""
    arguments = _parser().parse_args()
    arguments.run(arguments)


def _demo(arguments: argparse.Namespace) -> None:
    settings = settings_of(arguments)
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
    return _app(settings_of(_parser().parse_args(["demo"])))


def _app(settings: DemoSettings) -> Starlette:
    log_lines(*log_settings())
    return build_app(settings)


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
    common.add_argument("--state", type=Path, default=default_state())
    demo = commands.add_parser("demo", help="serve the demo agent", parents=[common])
    demo.add_argument("--host", default="127.0.0.1")
    demo.add_argument("--port", type=int, default=8000)
    demo.add_argument("--workers", type=int, default=1, help="processes; more need Redis")
    demo.add_argument("--fd", type=int, help=argparse.SUPPRESS)  # a worker's socket
    demo.add_argument("--model", help="a model name such as gemini-2.5-flash; scripted without it")
    demo.add_argument("--live-model", help="the model of live chats; without it the same")
    demo.set_defaults(run=_demo)
    approvals = commands.add_parser("approvals", help="look at the approval records")
    add_commands(approvals, common, lambda arguments: settings_of(arguments).approvals_url)
    add_record(commands.add_parser("record", help="write a chat into a file"), settings_of)
    add_replay(commands.add_parser("replay", help="play recorded chats, without a model"))
    return parser


if __name__ == "__main__":
    main()
