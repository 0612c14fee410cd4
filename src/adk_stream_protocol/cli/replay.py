"""`adk-stream replay`: recorded chats against the demo agent or an app of yours, with no model."""

import argparse
import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from starlette.types import ASGIApp

from adk_stream_protocol.cli.settings import add_app, load_source, log_level
from adk_stream_protocol.demo.recorded_app import wire_app
from adk_stream_protocol.recording.player.app import AppSource, app_of, is_app, started
from adk_stream_protocol.recording.player.player import Player
from adk_stream_protocol.recording.player.replay import standing_in
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    load_chats,
    write,
)

Chat = Scenario | SocketScenario
Serve = Callable[[Chat], AbstractAsyncContextManager[ASGIApp]]
Task = Callable[[Player, Chat, ASGIApp], Awaitable[list[str]]]


def add_replay(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    add_app(parser)
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar="NAME:VALUE",
        help="goes with the client's requests, such as what signs it in",
    )
    parser.add_argument(
        "--log-level", default="critical", type=log_level, help="of the app; critical without it"
    )
    parser.add_argument("--update", action="store_true", help="keep what comes as the expectation")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    sys.exit(_replay(arguments))


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError("NAME:VALUE is expected")
    return name.strip(), value.strip()


def _replay(arguments: argparse.Namespace) -> int:
    logging.basicConfig(level=arguments.log_level.upper())
    with standing_in() as gemini:
        source = load_source(arguments.app) if arguments.app else None
        player = Player(gemini, dict(arguments.header))
        return asyncio.run(_replay_all(player, source, arguments))


async def _replay_all(
    player: Player, source: AppSource | None, arguments: argparse.Namespace
) -> int:
    files: list[Path] = arguments.files
    task = _update if arguments.update else _compare
    outcomes: list[bool] = []
    async with AsyncExitStack() as stack:
        serve = await _serve(source, stack)
        for file in files:
            outcomes += await _outcomes(task, player, serve, file)
    if len(outcomes) > 1:
        print(f"{sum(outcomes)} of {len(outcomes)} OK")
    return 0 if all(outcomes) else 1


async def _serve(source: AppSource | None, stack: AsyncExitStack) -> Serve:
    """How each file gets its app."""
    if source is None:
        return _serve_demo
    if not is_app(source):
        return lambda scenario: started(app_of(source))
    # An app that is made already is started once: most cannot be started again.
    app = await stack.enter_async_context(started(app_of(source)))
    return lambda scenario: nullcontext(app)


@asynccontextmanager
async def _serve_demo(scenario: Chat) -> AsyncGenerator[ASGIApp]:
    with TemporaryDirectory() as folder:
        async with wire_app(scenario, Path(folder)) as demo, started(demo) as app:
            yield app


async def _outcomes(task: Task, player: Player, serve: Serve, file: Path) -> list[bool]:
    """Play all chats of a file, and say of each whether it is as it was."""
    outcomes: list[bool] = []
    try:
        chats = load_chats(file)
        for family, chat in chats.items():
            async with serve(chat) as app:
                found = await task(player, chat, app)
            outcomes.append(_say(f"{file} ({family})" if family else str(file), "DIFFERENT", found))
        if task is _update and all(outcomes):
            write(file, chats)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        outcomes.append(_say(str(file), "NOT PLAYED", [f"cannot be replayed: {error}"]))
    return outcomes


def _say(name: str, verdict: str, found: list[str]) -> bool:
    print("\n  ".join([f"{name}: {verdict}", *found]) if found else f"{name}: OK", flush=True)
    return not found


async def _compare(player: Player, scenario: Chat, app: ASGIApp) -> list[str]:
    return await player.differences(scenario, app)


async def _update(player: Player, scenario: Chat, app: ASGIApp) -> list[str]:
    try:
        await player.update(scenario, app)
    except (AssertionError, KeyError, TimeoutError) as error:
        return [str(error)]
    return []
