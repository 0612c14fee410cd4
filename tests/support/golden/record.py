"""Records the golden turns: real ADK runs, their events, and the chunks they become.

`python -m tests.support.golden.record` writes fixtures/turns/*.json again. A test compares; look at
the difference before you keep it.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Calls, current_turn
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.convert.encode.live import LiveTurnEncoder
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.protocol.sse import encode_json

TURNS = Path(__file__).parents[3] / "fixtures" / "turns"


@dataclass
class Scene:
    """A turn to record. `answer` goes on with the calls that the first turn left open."""

    agent: Callable[[Path], BaseAgent]
    says: str = "go"
    answer: Callable[[Calls], list[types.Part]] | None = None
    approvals: ApprovalStyleName = "native"
    streaming: bool = True


def encode_turn(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The chunks of a recorded turn, as the code makes them now."""
    events = [Event.model_validate(event) for event in turn["events"]]
    before = [Event.model_validate(event) for event in turn.get("before", [])]
    options: dict[str, Any] = {
        "approvals": turn.get("approvals", "native"),
        "calls": Calls.of(before),
        "held": turn.get("held", []),
        "reference": "r1",
    }
    live = turn.get("live")
    encoder = LiveTurnEncoder("m1", **options, **live) if live else TurnEncoder("m1", **options)
    chunks: list[AnyChunk] = [*encoder.start()]
    for event in events:
        chunks += encoder.encode(event)
    failed = turn.get("failed")
    chunks += encoder.fail(Failure(failed)) if failed else encoder.finish()
    return [msgspec.json.decode(encode_json(chunk)) for chunk in chunks]


async def record(scene: Scene) -> dict[str, Any]:
    """Play a scene with ADK and keep what it yields."""
    with tempfile.TemporaryDirectory() as state:
        approvals = ApprovalBook(MemoryApprovalStore())
        runner = build_runner(scene.agent(Path(state)), InMemorySessionService(), approvals)
        await runner.session_service.create_session(
            app_name=runner.app_name, user_id="u", session_id="s"
        )
        message = types.Content(role="user", parts=[types.Part(text=scene.says)])
        turn = await _play(runner, scene, message)
        if scene.answer:
            turn = {"asked": encode_turn(turn), **await _play_answer(runner, approvals, scene)}
    turn["chunks"] = encode_turn(turn)
    return turn


async def _play_answer(runner: Runner, approvals: ApprovalBook, scene: Scene) -> dict[str, Any]:
    assert scene.answer is not None
    session = await runner.session_service.get_session(
        app_name=runner.app_name, user_id="u", session_id="s"
    )
    assert session is not None
    before = current_turn(session.events)
    parts = scene.answer(Calls.of(before))
    for part in parts:
        answered = part.function_response
        if answered and (found := await approvals.store.get(answered.id or "")):
            verdict = (answered.response or {}).get("confirmed") is True
            await approvals.decide(found, Principal("u"), verdict, None)
    turn = await _play(runner, scene, tool_responses.user_content(parts))
    answer = Event(author="user", content=tool_responses.user_content(parts))
    return {**turn, "before": [dump(event) for event in (*before, answer)]}


async def _play(runner: Runner, scene: Scene, message: types.Content) -> dict[str, Any]:
    mode = StreamingMode.SSE if scene.streaming else StreamingMode.NONE
    run = runner.run_async(
        user_id="u",
        session_id="s",
        new_message=message,
        run_config=RunConfig(streaming_mode=mode),
    )
    events: list[Event] = []
    failed: str | None = None
    try:
        async with aclosing(run):
            async for event in _each(run):
                events.append(event.model_copy(deep=True))
    except Exception as error:
        failed = Failure.of_exception(error).code
    turn: dict[str, Any] = {"approvals": scene.approvals}
    turn["events"] = [dump(event) for event in events]
    return turn | ({"failed": failed} if failed else {})


async def _each(run: AsyncIterator[Event]) -> AsyncIterator[Event]:
    async for event in run:
        yield event


def dump(event: Event) -> dict[str, Any]:
    return event.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)


async def main() -> None:
    from tests.support.golden.scenes import SCENES

    TURNS.mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        turn = await record(scene)
        text = json.dumps(turn, indent=1, ensure_ascii=False)
        (TURNS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
