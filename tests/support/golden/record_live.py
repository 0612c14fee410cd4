"""Records live turns: what a live run of ours gets from ADK's `run_live`, turn by turn.

`python -m tests.support.golden.record_live` writes fixtures/turns/live-*.json again.
"""

import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types
from starlette.applications import Starlette

from adk_stream_protocol import Chats, LiveOptions, Principal, mount
from adk_stream_protocol.chats.live.turns import LiveTurns
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Calls
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from tests.support.golden.record import TURNS, dump, encode_turn
from tests.support.golden.scenes import PLACE, demo

SECONDS = 60


@dataclass(frozen=True)
class LiveScene:
    """A turn to record: typed or spoken; `answer` goes on with the calls that it left open."""

    says: str
    answer: Literal["yes", "no", "result"] | None = None
    approvals: ApprovalStyleName = "native"
    modality: Literal["text", "audio"] = "text"
    aloud: bool = False
    audio: bool = False
    calls: Literal["sequential", "parallel"] = "sequential"


class Take:
    """One chat while it is recorded."""

    def __init__(self, scene: LiveScene, chat: Chats) -> None:
        self._scene = scene
        self._chat = chat
        self._events: list[Event] = []
        self._heard = asyncio.Event()

    async def play(self) -> dict[str, Any]:
        """The turn, and before it the one that asked."""
        events = await self._recorded(self._speak() if self._scene.aloud else self._say())
        turn = self._written(events)
        if self._scene.answer:
            calls = Calls.of(events)
            told = self._told(calls)
            answered = self._written(await self._recorded(self._answer(calls)))
            answered["before"] = [dump(event) for event in (*events, *told)]
            turn = {"asked": encode_turn(turn), **answered}
        turn["chunks"] = encode_turn(turn)
        return turn

    async def _recorded(self, opening: Any) -> list[Event]:
        """The events of a turn."""
        self._events = []
        take = LiveTurns.encode

        def tapped(turns: LiveTurns, event: Event) -> None:
            self._events.append(event.model_copy(deep=True))
            take(turns, event)
            self._heard.set()

        with patch.object(LiveTurns, "encode", tapped):
            async with asyncio.timeout(SECONDS):
                turn: Turn = await opening
                _ = [batch async for batch in turn.batches(SECONDS)]
        return self._events

    async def _say(self) -> Turn:
        content = types.Content(role="user", parts=[types.Part(text=self._scene.says)])
        return await self._open(TurnInput(content=content))

    async def _open(self, turn_input: TurnInput) -> Turn:
        return await self._chat.open_turn(
            Principal("u"), "s", turn_input, self._scene.approvals, live=True
        )

    async def _speak(self) -> Turn:
        run = self._chat.of("u", "s").start_live()
        await run.speak(self._scene.says.encode())
        await run.speak(None)
        while (turn := self._chat.running("u", "s")) is None:
            self._heard.clear()
            await self._heard.wait()
        return turn

    async def _answer(self, calls: Calls) -> Turn:
        approved = None if self._scene.answer == "result" else self._scene.answer == "yes"
        answers = tuple(
            Answer(ids=(call.id,), path="$", approved=approved)
            if approved is not None
            else Answer(ids=(call.id,), path="$", approved=True, value=PLACE)
            for call in calls.open()
        )
        return await self._open(TurnInput(answers=answers, message_id="m1"))

    def _told(self, calls: Calls) -> list[Event]:
        """What the session is told of the answers before ADK goes on."""
        parts = [
            tool_responses.response_part(call, PLACE)
            if call.browser
            else tool_responses.decision_part(call, self._scene.answer == "yes", None)
            for call in calls.open()
        ]
        return [Event(author="user", content=tool_responses.user_content(parts))]

    def _written(self, events: list[Event]) -> dict[str, Any]:
        shown = [dump(event) for event in events if not event.live_session_resumption_update]
        live = {"audio": self._scene.audio}
        return {"approvals": self._scene.approvals, "live": live, "events": shown}


async def record(scene: LiveScene) -> dict[str, Any]:
    """Play a scene with ADK and keep what it yields."""
    with tempfile.TemporaryDirectory() as state:
        options = LiveOptions(modality=scene.modality, audio=scene.audio, calls=scene.calls)
        chat = mount(
            Starlette(),
            demo(Path(state)),
            identify=lambda _: "u",
            session_service=InMemorySessionService(),
            live=options,
        )
        try:
            return await Take(scene, chat).play()
        finally:
            await chat.close()


PAY = "Send $50 to Hanako"
BOTH = "Pay Alice $30 and Bob $40"
SCENES = {
    "text": LiveScene("Hello"),
    "reasoning": LiveScene("/think let me see\n/say 2"),
    "image": LiveScene("/say 1\n/image"),
    "weather": LiveScene("What is the weather in London?"),
    "interrupted": LiveScene("/say 2\n/interrupt"),
    "filtered": LiveScene("/error SAFETY"),
    "spoken": LiveScene("/say 2", modality="audio"),
    "spoken-with-sound": LiveScene("/say 1", modality="audio", audio=True),
    "heard": LiveScene("Thanks", modality="audio", aloud=True),
    "payment-asked": LiveScene(PAY),
    "payment-asked-adk-tool": LiveScene(
        '/say 2\n/call process_payment {"amount": 5, "recipient": "Bob"}', None, "adk-tool"
    ),
    "payment-approved": LiveScene(PAY, "yes"),
    "payment-denied": LiveScene(PAY, "no"),
    "payment-approved-adk-tool": LiveScene(PAY, "yes", "adk-tool"),
    "payment-denied-adk-tool": LiveScene(PAY, "no", "adk-tool"),
    "payments-asked": LiveScene(BOTH, calls="parallel"),
    "payments-both": LiveScene(BOTH, "yes", calls="parallel"),
    "location-asked": LiveScene("Where am I?"),
    "location-answered": LiveScene("Where am I?", "result"),
}


async def main() -> None:
    for name, scene in SCENES.items():
        turn = await record(scene)
        text = json.dumps(turn, indent=1, ensure_ascii=False)
        (TURNS / f"live-{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
