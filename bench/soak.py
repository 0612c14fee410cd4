"""Age: what thousands of chats leave in memory, and what a turn costs in a chat of 1,000 turns."""

import asyncio
import cProfile
import gc
import tempfile
import time
import uuid
from itertools import combinations
from pathlib import Path

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.database_session_service import DatabaseSessionService
from sqlalchemy import event

import adk_stream_protocol
from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.adk.runner import build_runner, telemetry
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.convert.decode import TurnInput
from bench.fleet import SOAKED, Fleet, Request
from bench.http import OURS
from bench.model import APP_NAME, bench_agent, user_message
from bench.report import Bars, heading, progress, row
from bench.sessions import history
from bench.slices import Spread, aba, ratio

BATCHES, CHATS, STREAMS = 20, 250, 10
HISTORIES = (10, 100, 1_000)
ROUNDS, TURNS = 7, 3
RECENT = 50
USER = "user"
BRIDGE = str(Path(adk_stream_protocol.__file__).parent)


def run(bars: Bars, fleet: Fleet) -> None:
    """Print the tables and set the bars."""
    _memory(bars, fleet)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'sessions.sqlite3'}"
        with asyncio.Runner() as loop:
            aged = loop.run(_aged(url))
            _turns(bars, loop, aged, None)
            _turns(bars, loop, aged, RECENT)
            loop.run(aged.close())


def _memory(bars: Bars, fleet: Fleet) -> None:
    total = BATCHES * CHATS
    heading(f"Memory over {total:,} chats, once their sessions are forgotten")
    row("", "after half of them", "after all", "slope per chat")
    held: list[tuple[float, int]] = []
    for batch in range(BATCHES):
        progress(f"chats up to {(batch + 1) * CHATS:,}")
        fleet.burst(SOAKED, [[_chat() for _ in range(CHATS // STREAMS)] for _ in range(STREAMS)])
        held.append(fleet.held(SOAKED))
    # Blocks are exact: what Python has given out. KB are what the system sees, with gaps in it.
    for index, (unit, limit) in enumerate({"KB": 1.0, "blocks": 0.5}.items()):
        values = [one[index] for one in held[BATCHES // 2 :]]
        slope = _slope(values)
        row(unit, f"{values[0]:,.0f}", f"{values[-1]:,.0f}", slope)
        bars.at_most(f"{unit} of memory that a chat leaves behind", slope, limit, unit=unit)


def _slope(values: list[float]) -> Spread:
    """Return the median slope between any two batches."""
    return Spread.of(
        (late - early) / ((after - before) * CHATS)
        for (before, early), (after, late) in combinations(enumerate(values), 2)
    )


def _chat() -> Request:
    name = uuid.uuid4().hex
    return Request("tools 1" if name < "8" else "text 5", name, f"user-{name}")


async def _aged(url: str) -> DatabaseSessionService:
    """Sessions on SQLite with so many turns behind them."""
    progress("making chats of 10 to 1,000 turns")
    service = DatabaseSessionService(url)

    @event.listens_for(service.db_engine.sync_engine, "connect")
    def hasten(connection, _) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    for turns in HISTORIES:
        session = await service.create_session(
            app_name=APP_NAME, user_id=USER, session_id=f"{turns}"
        )
        for one in history(2 * turns):
            await service.append_event(session, one)
    return service


def _turns(
    bars: Bars, loop: asyncio.Runner, service: DatabaseSessionService, recent: int | None
) -> None:
    read = f"last {recent} events read" if recent else "whole session read"
    heading(f"Age of the chat: CPU ms per turn on SQLite, {read}")
    row("", "ADK alone, resumable", OURS, "the bridge's share", "its function calls")
    alone, ours = _alone(service, recent), _ours(service, recent)
    calls: dict[int, int] = {}
    for side in (alone, ours):  # what only a first turn does
        loop.run(side(f"{HISTORIES[0]}"))
    for turns in HISTORIES:
        progress(f"turns after {turns:,} others, {read}")
        slices = aba(
            lambda turns=turns: loop.run(_cpu(alone, f"{turns}")),
            {OURS: lambda turns=turns: loop.run(_cpu(ours, f"{turns}"))},
            ROUNDS,
        )[OURS]
        calls[turns] = loop.run(_calls(ours, f"{turns}"))
        row(f"{turns:,} turns", *_cells(slices), f"{calls[turns]:,}")
    young, old = HISTORIES[0], HISTORIES[-1]
    grown = Spread.of([calls[old] / calls[young]])
    bars.at_most(f"turn {old:,} against {young}, the bridge's calls; {read}", grown, 1.1)
    bars.at_most(f"turn {old:,} against ADK alone, CPU; {read}", ratio(slices), 1.15)


def _cells(slices: list[tuple[float, float, float]]) -> list[Spread]:
    alone = [(before + after) / 2 for before, _, after in slices]
    ours = [mine for _, mine, _ in slices]
    share = [mine - base for mine, base in zip(ours, alone, strict=True)]
    return [Spread.of(each) for each in (alone, ours, share)]


async def _cpu(turn, session_id: str) -> float:
    gc.collect()
    gc.disable()  # a full collection costs more than the bridge and falls on either
    begun = time.process_time()
    for _ in range(TURNS):
        await turn(session_id)
    spent = time.process_time() - begun
    gc.enable()
    return spent * 1e3 / TURNS


async def _calls(turn, session_id: str) -> int:
    """Return how many calls of the bridge's functions a turn makes: exact, as CPU time is not."""
    profile = cProfile.Profile()
    with profile:
        await turn(session_id)
    stats = [(getattr(one.code, "co_filename", ""), one.callcount) for one in profile.getstats()]
    return sum(count for name, count in stats if name.startswith(BRIDGE))


def _run_config(recent: int | None) -> RunConfig:
    config = GetSessionConfig(num_recent_events=recent) if recent else None
    return RunConfig(
        streaming_mode=StreamingMode.SSE, telemetry=telemetry(), get_session_config=config
    )


def _alone(service: DatabaseSessionService, recent: int | None):
    app = App(
        name=APP_NAME,
        root_agent=bench_agent(),
        resumability_config=ResumabilityConfig(is_resumable=True),
    )
    runner = Runner(app=app, session_service=service)

    async def turn(session_id: str) -> None:
        message, config = user_message("text 5"), _run_config(recent)
        async for _ in runner.run_async(
            user_id=USER, session_id=session_id, new_message=message, run_config=config
        ):
            pass

    return turn


def _ours(service: DatabaseSessionService, recent: int | None):
    approvals = ApprovalBook(MemoryApprovalStore())
    runner = build_runner(bench_agent(), service, approvals)
    chat = Chats(runner, approvals, run_config=_run_config(recent))

    async def turn(session_id: str) -> None:
        said = TurnInput(content=user_message("text 5"))
        opened = await chat.open_turn(Principal(USER), session_id, said, "native")
        async for _ in opened.batches(60):
            pass

    return turn
