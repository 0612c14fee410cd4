"""Engine: the two ways in which ADK can run a chat, and what both of them need."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from google.adk.agents.run_config import RunConfig
from google.adk.runners import Runner

from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.session_reader import SessionReader
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.workers.relay import Relay


@dataclass(frozen=True, slots=True)
class ChatSetup:
    """What all chats of one agent share."""

    runner: Runner
    run_config: RunConfig
    sessions: SessionReader
    book: ApprovalBook
    relay: Relay
    live: LiveSettings | None
    client_tool_ttl: float


class Engine(Protocol):
    """Runs one chat. The chat holds its lock while it calls any of these."""

    is_live: bool
    is_closing: bool

    async def say(self, said: TurnInput, style: ApprovalStyleName) -> Turn:
        """Open a turn with a new user message. It cancels what is open."""
        ...

    async def read(self) -> OpenTurn | None:
        """Read what the client may answer. None if this engine has made no calls."""
        ...

    def made(self, calls: Iterable[Call]) -> bool:
        """Whether this engine can go on with these calls."""
        ...

    def reserve(self, style: ApprovalStyleName) -> Turn:
        """Begin the turn that answers open, or raise why not."""
        ...

    async def answer(
        self, turn: Turn, opened: OpenTurn, plan: Plan, said: TurnInput, style: ApprovalStyleName
    ) -> None:
        """Go on where the chat waited. The decisions of the plan are committed."""
        ...
