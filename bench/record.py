"""ADK events as ADK really emits them, recorded from a run of the scripted model."""

import asyncio
from contextlib import aclosing

from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from bench.live_model import live_agent
from bench.model import APP_NAME, bench_agent, user_message


def record_turn(script: str) -> list[Event]:
    """Run one turn through ADK and return its events."""
    return asyncio.run(_record(script))


async def _record(script: str) -> list[Event]:
    runner = Runner(
        app_name=APP_NAME,
        agent=bench_agent(),
        session_service=InMemorySessionService(),
        auto_create_session=True,
    )
    run = runner.run_async(
        user_id="u",
        session_id="s",
        new_message=user_message(script),
        run_config=RunConfig(streaming_mode=StreamingMode.SSE),
    )
    return [event async for event in run]


def record_live_turn(script: str) -> list[Event]:
    """The same for a turn of a live run."""
    return asyncio.run(_record_live(script))


async def _record_live(script: str) -> list[Event]:
    runner = Runner(
        app_name=APP_NAME,
        agent=live_agent(),
        session_service=InMemorySessionService(),
        auto_create_session=True,
    )
    queue = LiveRequestQueue()
    queue.send_content(user_message(script))
    config = RunConfig(response_modalities=[types.Modality.TEXT])
    run = runner.run_live(user_id="u", session_id="s", live_request_queue=queue, run_config=config)
    events = []
    async with aclosing(run):
        async for event in run:
            events.append(event)
            if event.turn_complete:
                return events
    raise RuntimeError("the live run ended before its turn")


def long_turn(turn: list[Event], deltas: int) -> list[Event]:
    """Return a text turn of that many deltas, made of the recorded one's events."""
    partials = [event for event in turn if event.partial]
    repeated = [partials[i % len(partials)] for i in range(deltas)]
    text = "".join(event.content.parts[0].text for event in repeated)
    whole = types.Content(role="model", parts=[types.Part(text=text)])
    return [*repeated, turn[-1].model_copy(update={"content": whole})]
