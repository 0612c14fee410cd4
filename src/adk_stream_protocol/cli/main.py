"""The `adk-stream` command and its sub-commands."""

import argparse
import sys
from pathlib import Path

from starlette.applications import Starlette

from adk_stream_protocol.cli.approvals import add_commands
from adk_stream_protocol.cli.checks import check, check_values, stored_approvals
from adk_stream_protocol.cli.listening import address_of, listen
from adk_stream_protocol.cli.logs import log_lines
from adk_stream_protocol.cli.plain_words import Parser, in_plain_words
from adk_stream_protocol.cli.record import add_record
from adk_stream_protocol.cli.replay import add_replay
from adk_stream_protocol.cli.serve import Supervisor, serve, serve_as_worker
from adk_stream_protocol.cli.settings import (
    PORT,
    default_state,
    log_settings,
    settings_of,
    whole_number,
)
from adk_stream_protocol.demo.app import DemoSettings, build_app
from adk_stream_protocol.demo.cannot_start import CannotStart
from adk_stream_protocol.demo.state import warn_if_open


def main() -> None:
    """Run the command line."""
    with in_plain_words():
        arguments = _parser().parse_args()
        arguments.run(arguments)


def _demo(arguments: argparse.Namespace) -> None:
    settings = settings_of(arguments)
    log_lines(*log_settings())
    if arguments.fd:
        serve_as_worker(build_app(settings), settings.max_body, arguments.fd)
        return
    if arguments.workers > 1:
        _explain_workers(arguments.workers, settings)
    check(settings)
    sockets = listen(arguments.host, arguments.port)
    print(f"adk-stream demo on {address_of(arguments.host, sockets)}", flush=True)
    if arguments.workers == 1:
        serve(build_app(settings), settings.max_body, sockets)
        return
    module = "adk_stream_protocol.cli.main"  # which is __main__ to itself
    command = [sys.executable, "-m", module, *sys.argv[1:], "--workers", "1"]
    sys.exit(Supervisor(command, sockets).run(arguments.workers))


def app() -> Starlette:
    """The demo from its environment alone, for any server: `uvicorn --factory …cli.main:app`."""
    with in_plain_words():
        settings = settings_of(_parser().parse_args(["demo"]))
        log_lines(*log_settings())
        check_values(settings)
        made = build_app(settings)
        warn_if_open(settings.state)
        return made


def _explain_workers(workers: int, settings: DemoSettings) -> None:
    if not settings.redis_url:
        raise CannotStart(
            f"--workers {workers} needs ADK_STREAM_REDIS_URL: without Redis no worker can resume,"
            " stop or answer what runs on another"
        )
    if not settings.database_url:
        print("Sessions and approvals are in SQLite files: all workers must be on this host.")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="adk-stream", description="ADK agents for useChat.")
    commands = parser.add_subparsers(required=True, metavar="command")
    common = Parser(add_help=False)
    common.add_argument("--state", type=Path, default=default_state())
    demo = commands.add_parser("demo", help="serve the demo agent", parents=[common])
    demo.add_argument("--host", default="127.0.0.1")
    demo.add_argument("--port", type=PORT, default=8000)
    demo.add_argument(
        "--workers", type=whole_number(1, 256), default=1, help="processes; more need Redis"
    )
    # A worker's sockets.
    demo.add_argument("--fd", type=int, action="append", default=[], help=argparse.SUPPRESS)
    demo.add_argument("--model", help="a model name such as gemini-2.5-flash; scripted without it")
    demo.add_argument("--live-model", help="the model of live chats; without it the same")
    demo.set_defaults(run=_demo)
    approvals = commands.add_parser("approvals", help="look at the approval records")
    add_commands(approvals, common, lambda arguments: stored_approvals(settings_of(arguments)))
    add_record(commands.add_parser("record", help="write a chat into a file"), settings_of)
    add_replay(commands.add_parser("replay", help="play recorded chats, without a model"))
    return parser


if __name__ == "__main__":
    main()
