"""What a model says while a call waits is not lost, however much it is."""

import base64
from pathlib import Path

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.scenario import Step
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.live_run import LiveRun
from tests.support.gemini.live_scenario import Action, LiveScenario

FRAMES = 300
# All of them together are more than the sockets' own buffers hold.
SOUND = base64.b64encode(bytes(40_000)).decode()
CALL = {"id": "fc-1", "name": "process_payment", "args": {"amount": 50, "recipient": "Bob"}}
SPEECH = {"parts": [{"inlineData": {"mimeType": "audio/pcm;rate=24000", "data": SOUND}}]}
RESPONSE = {"success": True, "transaction_id": "<transaction-1>", "amount": 50, "recipient": "Bob"}
MORE = {"currency": "USD", "wallet_balance": 950}


def scenario() -> LiveScenario:
    answer = {"id": "fc-1", "name": "process_payment", "response": RESPONSE | MORE}
    steps = [
        Step(expect={"setup": {}}),
        Step(send={"setupComplete": {}}),
        Step(expect={"realtime_input": {"text": "Send $50 to Bob"}}),
        Step(send={"toolCall": {"functionCalls": [CALL]}}),
        Step(send={"serverContent": {"modelTurn": SPEECH}}, repeat=FRAMES),
        Step(mark="all sent"),
        Step(expect={"tool_response": {"functionResponses": [answer]}}),
        Step(send={"serverContent": {"turnComplete": True}}),
    ]
    user = [
        Action(say="Send $50 to Bob"),
        Action(reach="all sent"),
        Action(decide={"fc-1": True}),
        Action(until={"turnComplete": True}),
        Action(close=True),
    ]
    return LiveScenario("", "gemini-3.1-flash-live-preview", [steps], user)


async def test_a_tool_that_waits_leaves_the_socket_reading(
    gemini: GeminiServer, tmp_path: Path
) -> None:
    played = scenario()
    play = gemini.play(Play(Names(), connections=played.connections))
    run = LiveRun(played, play, tmp_path)
    await run.perform(played)
    play.finish()
    parts = [part for event in run.events for part in event.get("content", {}).get("parts", [])]
    assert sum("inlineData" in part for part in parts) == FRAMES
