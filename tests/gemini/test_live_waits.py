"""A payment waits for a person while the model goes on: nothing of it is lost on the way to the
page, what the user says meanwhile reaches the model, and the payment is made once.
"""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from adk_stream_protocol.recording.player.socket_chat import Socket
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import SocketScenario, Step
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.socket_chat import live_socket
from tests.support.servers.real_models import LIVE_MODELS, ModelDemo, NetworkSocket

FRAMES = 300
WAIT_SECONDS = 60
TEXT = "Send $50 to Bob"
CALL = {"id": "fc-1", "name": "process_payment", "args": {"amount": 50, "recipient": "Bob"}}
PAID = {
    "success": True,
    "transaction_id": "<transaction-1>",
    "amount": 50,
    "recipient": "Bob",
    "currency": "USD",
    "wallet_balance": 950,
}
SPEECH = base64.b64encode(bytes(320)).decode()
RATE = "audio/pcm;rate=24000"
DONE = Step(send={"serverContent": {"turnComplete": True}})


def word(number: int) -> tuple[Json, Json]:
    """A frame of the model's, and what the page is shown of it."""
    text = f"{number} "
    frame = {"outputTranscription": {"text": text}}
    return frame, {"type": "text-delta", "id": "0", "delta": text}


def sound(number: int) -> tuple[Json, Json]:
    # All of them together are more than the sockets' own buffers hold.
    data = base64.b64encode(number.to_bytes(2, "big") * 20_000).decode()
    parts = [{"inlineData": {"mimeType": RATE, "data": data}}]
    shown = {"mimeType": RATE, "data": data}
    frame = {"modelTurn": {"parts": parts}}
    return frame, {"type": "data-pcm", "data": shown, "transient": True}


def script(live_model: str, frames: list[list[Step]]) -> list[Step]:
    """The model calls, says half of its frames, hears the user, says the rest, gets the result."""
    at_once = live_model == LIVE_MODELS["3.1"]
    turns = [{"role": "user", "parts": [{"text": TEXT}]}]
    typed: Json = {"client_content": {"turns": turns, "turn_complete": True}}
    spoken = {"data": SPEECH, "mime_type": "audio/pcm;rate=16000"}
    half = len(frames) // 2
    answer = {"id": "fc-1", "name": "process_payment", "response": PAID}
    return [
        Step(expect={"setup": {}}),
        Step(send={"setupComplete": {}}),
        Step(expect={"realtime_input": {"text": TEXT}} if at_once else typed),
        Step(send={"toolCall": {"functionCalls": [CALL]}}),
        *([] if at_once else [DONE]),
        *(step for steps in frames[:half] for step in steps),
        Step(
            expect={"realtime_input": {"audio": spoken} if at_once else {"mediaChunks": [spoken]}}
        ),
        *(step for steps in frames[half:] for step in steps),
        Step(expect={"tool_response": {"functionResponses": [answer]}}),
        Step(send={"serverContent": {"outputTranscription": {"text": "Done."}}}),
        Step(send={"serverContent": {"generationComplete": True}}),
        DONE,
    ]


class Page:
    """Reads its socket and keeps what came, by request."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._chunks: dict[str, list[Json]] = defaultdict(list)
        self.came: list[tuple[str, str]] = []
        """What else came: the kinds of the frames, and their requests."""

    async def send(self, kind: str, request_id: str, **body: object) -> None:
        await self._socket.send({"type": kind, "requestId": request_id, "id": "chat", **body})

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            frame = await self._socket.receive()
            chunks = self._chunks[frame["requestId"]]
            if frame["type"] == "chunk":
                assert frame["sequence"] == len(chunks)
                chunks.append(frame["chunk"])
            else:
                self.came.append((frame["type"], frame["requestId"]))

    async def until_end(self, request_id: str) -> None:
        await self.until(lambda: ("end", request_id) in self.came)

    def of(self, request_id: str, *kinds: str) -> list[Json]:
        return [chunk for chunk in self._chunks[request_id] if chunk["type"] in kinds]

    def said(self, request_id: str) -> list[Json]:
        return self.of(request_id, "text-delta", "data-pcm")


async def pay_after_all(socket: Socket, expected: list[Json]) -> None:
    """Ask for a payment, read on while it waits, speak in between, and approve it at the end."""
    page = Page(socket)
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": TEXT}]}
    await page.send("send", "r1", messages=[message])
    await page.until_end("r1")
    (request,) = page.of("r1", "tool-approval-request")
    await page.until(lambda: ("turn", "server") in page.came)
    await page.send("resume", "r2")
    await page.until(lambda: len(page.said("r2")) == len(expected) // 2)
    await page.send("audio", "a1", audio=SPEECH)
    await page.until(lambda: len(page.said("r2")) == len(expected))
    assert page.said("r2") == expected
    assert ("end", "r2") not in page.came
    approval = {"id": request["approvalId"], "approved": True}
    part = {"type": "tool-process_payment", "toolCallId": "fc-1", "state": "approval-responded"}
    answer = {"id": "m1", "role": "assistant", "parts": [{**part, "approval": approval}]}
    await page.send("send", "r3", messages=[answer])
    await page.until_end("r3")
    assert page.said("r2") == expected
    (output,) = page.of("r3", "tool-output-available")
    assert output["output"]["wallet_balance"] == 950
    assert [chunk["delta"] for chunk in page.said("r3")] == ["Done."]
    assert page.came == [
        ("end", "r1"),
        ("turn", "server"),
        ("start", "r2"),
        ("end", "r2"),
        ("end", "r3"),
    ]


@pytest.mark.parametrize("family", LIVE_MODELS)
async def test_all_that_comes_at_once(family: str, gemini: GeminiServer, tmp_path: Path) -> None:
    pieces = [(word, sound)[number % 2](number) for number in range(FRAMES)]
    frames = [[Step(send={"serverContent": frame})] for frame, _ in pieces]
    steps = script(LIVE_MODELS[family], frames)
    play = gemini.play(Play(Names(), connections=[steps]))
    scenario = SocketScenario("", LIVE_MODELS[family], [], [], audio=True)
    async with live_socket(scenario, tmp_path, "") as socket:
        await pay_after_all(socket, [shown for _, shown in pieces])
    play.finish()


async def tick(play: Play) -> None:
    for number in range(FRAMES):
        await asyncio.sleep(WAIT_SECONDS / FRAMES)
        play.signal(str(number))


async def test_all_that_comes_in_a_minute(gemini_server: GeminiServer, tmp_path: Path) -> None:
    pieces = [word(number) for number in range(FRAMES)]
    frames = [
        [Step(wait=str(number)), Step(send={"serverContent": frame})]
        for number, (frame, _) in enumerate(pieces)
    ]
    demo = ModelDemo(tmp_path, **gemini_server.environment, NO_PROXY="127.0.0.1")
    demo.live_model = LIVE_MODELS["3.1"]
    demo.start()
    play = gemini_server.play(Play(Names(), connections=[script(demo.live_model, frames)]))
    try:
        async with connect(demo.url.replace("http", "ws") + "/live", proxy=None) as connection:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(tick(play))
                await pay_after_all(NetworkSocket(connection), [shown for _, shown in pieces])
    finally:
        demo.stop()
    play.finish()
