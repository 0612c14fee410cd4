"""One chat as a state machine, with engines and a relay that the test plays.

Each row of the table is what a chat is in the middle of, what happens to it, and what comes of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

import pytest
from google.adk.agents import LlmAgent
from google.genai import types

from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.chat import Chat
from adk_stream_protocol.chats.engine import Engines, RunnableChat
from adk_stream_protocol.chats.live.socket_slot import SocketSlot
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import Busy, StreamProtocolError, UnknownId
from adk_stream_protocol.telemetry.turns import LiveSessionTelemetry
from adk_stream_protocol.workers.relay import Lease, LocalRelay

ALICE = Principal("alice")
SAID = TurnInput(content=types.Content(role="user", parts=[types.Part(text="Hello")]))
AGAIN = TurnInput(content=SAID.content, rewind_before=())
ANSWERED = TurnInput(answers=(Answer(("call-1",), "$", approved=True),))


class Relay(LocalRelay):
    """Keeps the books of leases; another worker may hold the chat."""

    def __init__(self) -> None:
        self.held_elsewhere = False
        self.leases = 0

    async def claim(self, chat: ChatId) -> Lease | None:
        if self.held_elsewhere:
            return None
        self.leases += 1
        return Lease(chat)

    def release(self, lease: Lease, log: str | None = None) -> None:
        self.leases -= 1


@dataclass
class Host:
    """Counts the turns, and knows which chats are active."""

    is_closing: bool = False
    turns: int = 0
    active: set[Chat] = field(default_factory=set[Chat])

    def admit_turn(self, chat: Chat) -> None:
        self.turns += 1

    def admit_live(self, chat: Chat) -> None:
        return None

    def turn_ended(self, turn: Turn) -> None:
        self.turns -= 1

    def keep(self, chat: Chat) -> None:
        (self.active.add if chat.is_active else self.active.discard)(chat)


class Engine:
    """Opens turns and does nothing in them."""

    is_live = False
    is_closing = False

    def __init__(self, chat: RunnableChat, log: list[str]) -> None:
        self.chat = chat
        self.log = log

    async def say(self, said: TurnInput, style: ApprovalStyleName) -> Turn:
        turn = self.chat.reserve()
        try:
            await self.chat.lease.acquire()
        except StreamProtocolError:
            self.chat.drop(turn)
            raise
        self.log.append("live said" if self.is_live else "said")
        return turn

    async def read(self) -> OpenTurn | None:
        self.log.append("live read" if self.is_live else "read")
        if self.is_live:
            return None
        raise UnknownId("There is no such chat.")

    def made(self, calls: Iterable[Call]) -> bool:
        raise AssertionError("nothing was read")

    def reserve(self, style: ApprovalStyleName) -> Turn:
        raise AssertionError("nothing was read")

    def abandon(self) -> None:
        self.log.append("abandoned")

    async def answer(
        self, turn: Turn, opened: OpenTurn, plan: Plan, said: TurnInput, style: ApprovalStyleName
    ) -> None:
        raise AssertionError("nothing was read")


class Request(Engine):
    async def go_on(self) -> None:
        self.chat.reserve()
        self.log.append("went on")


class Live(Engine):
    is_live = True

    def __init__(self, chat: RunnableChat, log: list[str]) -> None:
        super().__init__(chat, log)
        self.socket = SocketSlot(60, lambda: None)
        self.observed = LiveSessionTelemetry("c")

    async def speak(self, pcm: bytes | None) -> None:
        raise AssertionError("nobody speaks here")

    def stop(self) -> bool:
        self.log.append("live stopped")
        return self.chat.turn is not None

    async def close(self, patience: float | None = None) -> None:
        if self.chat.turn:
            self.chat.release(self.chat.turn)
        self.log.append("live closed")
        self.chat.live_ended()


class Scene:
    """A chat, and all that it touches."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.relay, self.host = Relay(), Host()
        engines = Engines(
            LlmAgent(name="clerk"),
            lambda chat: Request(chat, self.log),
            lambda chat: Live(chat, self.log),
        )
        self.chat = Chat(ChatId("app", "alice", "c"), engines, self.relay, self.host)

    @property
    def state(self) -> str:
        """What the chat is in the middle of."""
        mode = "live" if self.chat.live else "request" if self.chat.turn else "idle"
        return f"{mode}, turn" if self.chat.turn else mode

    async def open(self, turn_input: TurnInput, *, live: bool = False) -> None:
        await self.chat.open_turn(ALICE, turn_input, "native", live=live)

    async def end_turn(self) -> None:
        assert self.chat.turn
        await self.chat.request_ended(self.chat.turn)


Step = Callable[[Scene], Awaitable[object]]


async def nothing(scene: Scene) -> None:
    return None


async def request(scene: Scene) -> None:
    await scene.open(SAID)


async def live_turn(scene: Scene) -> None:
    await scene.open(SAID, live=True)


async def live_idle(scene: Scene) -> None:
    await live_turn(scene)
    assert scene.chat.turn
    scene.chat.release(scene.chat.turn)


async def live_closing(scene: Scene) -> None:
    await live_idle(scene)
    assert isinstance(scene.chat.live, Live)
    scene.chat.live.is_closing = True


async def held_elsewhere(scene: Scene) -> None:
    scene.relay.held_elsewhere = True


async def message(scene: Scene) -> None:
    await scene.open(SAID)


async def live_message(scene: Scene) -> None:
    await scene.open(SAID, live=True)


async def edit(scene: Scene) -> None:
    await scene.open(AGAIN, live=True)


async def answer(scene: Scene) -> None:
    await scene.open(ANSWERED)


async def leave(scene: Scene) -> bool:
    return await scene.chat.leave(for_socket=False)


async def go_on(scene: Scene) -> None:
    await scene.chat.go_on()


async def end(scene: Scene) -> None:
    await scene.chat.end()


async def turn_ends(scene: Scene) -> None:
    await scene.end_turn()


TABLE: list[tuple[Step, Step, str, list[str]]] = [
    (nothing, message, "request, turn", ["said"]),
    (nothing, live_message, "live, turn", ["live said"]),
    (nothing, edit, "request, turn", ["said"]),
    (nothing, answer, "unknown", ["read", "abandoned"]),
    (nothing, leave, "idle", []),
    (nothing, go_on, "request, turn", ["went on"]),
    (nothing, end, "idle", []),
    (request, message, "busy", []),
    (request, live_message, "busy", []),
    (request, answer, "busy", []),
    (request, go_on, "request, turn", []),
    (request, leave, "request, turn", []),
    (request, turn_ends, "idle", []),
    (live_idle, message, "request, turn", ["live closed", "said"]),
    (live_idle, live_message, "live, turn", ["live said"]),
    (live_idle, edit, "request, turn", ["live closed", "said"]),
    (live_idle, answer, "unknown", ["live read", "live closed", "read", "abandoned"]),
    (live_idle, leave, "idle", ["live closed"]),
    (live_idle, go_on, "live", []),
    (live_idle, end, "idle", ["live closed"]),
    (live_turn, message, "busy", []),
    (live_turn, leave, "live, turn", []),
    (live_turn, end, "idle", ["live closed"]),
    (live_closing, live_message, "live, turn", ["live closed", "live said"]),
    (live_closing, message, "request, turn", ["live closed", "said"]),
    (live_closing, go_on, "request, turn", ["live closed", "went on"]),
    (held_elsewhere, message, "busy", []),
]


@pytest.mark.parametrize(
    ("before", "step", "after", "log"),
    TABLE,
    ids=[f"{before.__name__}-{step.__name__}" for before, step, _, _ in TABLE],
)
async def test_what_happens_to_a_chat(before: Step, step: Step, after: str, log: list[str]) -> None:
    scene = Scene()
    await before(scene)
    state, scene.log[:] = scene.state, []
    try:
        await step(scene)
    except StreamProtocolError as refusal:
        assert refusal.code == after
        after = state if after == "busy" else "idle"
    assert (scene.state, scene.log) == (after, log)
    assert scene.host.turns == (scene.chat.turn is not None)
    assert scene.host.active == ({scene.chat} if scene.chat.is_active else set())
    if not scene.chat.is_active:
        assert scene.relay.leases == 0, "an idle chat is free for every worker"


async def test_what_was_decided_during_a_turn_goes_on_after_it() -> None:
    scene = Scene()
    await request(scene)
    await scene.chat.go_on()
    await scene.end_turn()
    assert scene.state == "idle"
    await scene.chat.continue_if_decided()
    assert scene.log == ["said", "went on"]
    await scene.end_turn()
    await scene.chat.continue_if_decided()
    assert scene.log == ["said", "went on"], "only once"


async def test_nothing_goes_on_in_a_server_that_goes_down() -> None:
    scene = Scene()
    await request(scene)
    await scene.chat.go_on()
    await scene.end_turn()
    scene.host.is_closing = True
    await scene.chat.continue_if_decided()
    assert scene.log == ["said"]


async def test_a_chat_that_is_being_opened_is_neither_idle_nor_making_a_message() -> None:
    scene = Scene()
    assert scene.chat.message_in_the_making is None
    async with scene.chat.lock:
        assert scene.chat.message_in_the_making == ""
        opening = asyncio.create_task(scene.open(SAID))
        await asyncio.sleep(0)
        assert not opening.done()
    await opening
    assert scene.state == "request, turn"


async def test_a_stop_without_a_turn_says_so() -> None:
    scene = Scene()
    assert not await scene.chat.stop()
    await live_turn(scene)
    assert await scene.chat.stop()
    assert scene.log == ["live said", "live stopped"]


def test_an_agent_without_live_mode_refuses_it() -> None:
    async def scene() -> None:
        relay, host = Relay(), Host()
        engines = Engines(LlmAgent(name="clerk"), lambda chat: Request(chat, []))
        with pytest.raises(UnknownId):
            Chat(ChatId("app", "alice", "c"), engines, relay, host).start_live()

    asyncio.run(scene())


def test_busy_is_what_the_table_calls_it() -> None:
    assert Busy.code == "busy"
