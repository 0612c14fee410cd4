"""The Live socket: plays the steps of one connection."""

import asyncio
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Step
from adk_stream_protocol.recording.stand_in.local_server import drop
from adk_stream_protocol.recording.stand_in.play import Play

POLICY_VIOLATION = 1008


async def talk(websocket: WebSocket, play: Play) -> None:
    """Play the next connection of the script, then wait until the client goes."""
    steps = play.connect(websocket.path_params["version"])
    left = steps if isinstance(steps, list) else []
    try:
        await websocket.accept()
        fault = None if isinstance(steps, list) else steps
        while left and fault is None:
            fault = await _perform(websocket, left[0], play)
            play.played(left)
        if fault is None:
            fault = play.unexpected(await _frame(websocket, play))
        await websocket.close(POLICY_VIOLATION, fault[:120])
    except WebSocketDisconnect:
        pass
    finally:
        play.disconnect(left)


async def _perform(websocket: WebSocket, step: Step, play: Play) -> str | None:
    """Perform a step; what is wrong, or None."""
    if step.send is not None:
        content = msgspec.json.encode(play.names.fill(step.send))
        for _ in range(step.repeat):
            await websocket.send_bytes(content)  # Gemini sends its JSON as binary frames
    elif step.expect is not None:
        return play.take(step.expect, await _frame(websocket, play))
    elif step.expect_all is not None:
        return await _take_all(websocket, list(step.expect_all), play)
    elif step.wait is not None:
        return await asyncio.to_thread(play.await_signal, step.wait)
    elif step.mark is not None:
        play.signal(step.mark)
    elif step.close is not None:
        await websocket.close(step.close, step.reason)
    elif step.drop:
        drop(websocket)
    return None


async def _take_all(websocket: WebSocket, expected: list[Json], play: Play) -> str | None:
    while expected:
        if fault := play.take_any(expected, await _frame(websocket, play)):
            return fault
    return None


async def _frame(websocket: WebSocket, play: Play) -> Json:
    while True:
        content: Any = await websocket.receive()
        if content["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(content["code"])
        frame: Json = msgspec.json.decode(content.get("text") or content["bytes"])
        if not play.passes_over(frame):
            return frame
