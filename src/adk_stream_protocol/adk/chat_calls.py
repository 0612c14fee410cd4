"""ChatCalls: the tool calls of one chat that this process has in hand."""

import asyncio

from google.adk.sessions.session import Session
from google.adk.tools.base_tool import BaseTool

from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.chat_id import ChatId

MAX_REMEMBERED = 4096

Tools = dict[str, BaseTool]
CallKey = tuple[ChatId, str]
"""A session and the id of a call in it. An agent tool runs in a session of its own."""


class ChatCalls:
    """The memory of the gate for the calls of one chat, and which of them run or wait here."""

    __slots__ = (
        "_asked",
        "_ended",
        "_let_through",
        "_running",
        "_started",
        "_tools",
        "held",
        "waiting",
    )

    def __init__(self) -> None:
        self._running: set[object] = set()
        self._ended: asyncio.Event | None = None
        self._tools: dict[tuple[str, str], Tools] = {}
        self._let_through: dict[ChatId, set[str]] = {}
        """Calls let through to ADK's dialog whose record is not made yet."""
        self._asked: set[CallKey] = set()
        """Calls that we ask about ourselves and that have not come to the gate yet."""
        self.held: dict[CallKey, ApprovalRecord] = {}
        """Approved and about to start: spares the start a read. The claim checks it anyway."""
        self._started: dict[CallKey, ApprovalRecord] = {}
        """Claimed records of calls that run now."""
        self.waiting: dict[str, asyncio.Event] = {}
        """Calls of a live run that wait for their answer, by approval id."""

    def remember_tools(self, invocation_id: str, agent: str, tools: Tools) -> None:
        """Remember the tools that the coming model response may call."""
        self._tools.pop((invocation_id, agent), None)
        self._tools[(invocation_id, agent)] = tools
        if len(self._tools) > MAX_REMEMBERED:
            del self._tools[next(iter(self._tools))]

    def tools_of(self, invocation_id: str, agent: str) -> Tools:
        """Return the tools that the last model response of an agent could call."""
        return self._tools.get((invocation_id, agent), {})

    def let_through(self, key: CallKey) -> None:
        """Expect ADK to ask about a call; its record follows with ADK's event."""
        chat, call_id = key
        self._let_through.setdefault(chat, set()).add(call_id)

    def let_through_in(self, chat: ChatId) -> set[str]:
        """Return the calls of a session that ADK is about to ask about."""
        return self._let_through.get(chat, set())

    def forget_let_through(self, chat: ChatId) -> None:
        """Forget what a run that was cut off let through."""
        self._let_through.pop(chat, None)

    def add_asked(self, key: CallKey) -> None:
        """Expect a call that a person is asked about to come to the gate."""
        self._asked.add(key)

    def take_asked(self, key: CallKey) -> bool:
        """Return whether a person is asked about this call, whatever its tool says; only once."""
        was_asked = key in self._asked
        self._asked.discard(key)
        return was_asked

    def start(self, key: CallKey, record: ApprovalRecord) -> None:
        """Count a gated call as running: its record is claimed."""
        self.begin(record.id)
        self._started[key] = record

    def take_started(self, key: CallKey) -> ApprovalRecord | None:
        """Return the claimed record of a call, once."""
        return self._started.pop(key, None)

    def begin(self, name: object) -> None:
        """Count a call as running: by its approval id if it is gated, else by its key."""
        self._running.add(name)

    def end(self, name: object) -> None:
        """Count a call as running no more."""
        self._running.discard(name)
        if self._ended:
            self._ended.set()

    def is_running(self, name: object) -> bool:
        """Return whether a call runs in this process now."""
        return name in self._running

    async def none_running(self) -> None:
        """Wait until no call of the chat runs here."""
        ended = self._ended = self._ended or asyncio.Event()
        while self._running:
            ended.clear()
            await ended.wait()

    def wake(self, record: ApprovalRecord) -> bool:
        """Let a waiting call look at its record. Return False if it does not wait here."""
        waiting = self.waiting.get(record.id)
        if waiting is None:
            return False
        if record.state is State.APPROVED:  # it starts now: nobody ends its run before that
            self.begin(record.id)
        waiting.set()
        return True

    def look(self, approval_id: str) -> None:
        """Let a waiting call look at its record, which another worker has settled."""
        if waiting := self.waiting.get(approval_id):
            waiting.set()

    def hold(self, record: ApprovalRecord) -> None:
        """Keep an approved record for the start of its call."""
        if record.state is State.APPROVED:
            self.held[(record.chat_id, record.call_id)] = record


def chat_of(session: Session) -> ChatId:
    """Return the chat that a session stores."""
    return ChatId(session.app_name, session.user_id, session.id)
