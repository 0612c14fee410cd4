"""This worker among the others: which chats it may run, and what it hears of the rest."""

import asyncio
from dataclasses import fields, replace
from typing import Any
from weakref import WeakKeyDictionary

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.chats.turns import Key
from adk_stream_protocol.convert.calls import NOTHING
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.errors import Busy, StreamProtocolError, Unavailable
from adk_stream_protocol.process_id import is_gone, this_process
from adk_stream_protocol.telemetry.instruments import log_event
from adk_stream_protocol.workers.relay import Heard, Lease, LocalRelay, Peer, Relay

CLOSE_SECONDS = 0.5


class Workers:
    """Leases and talk. With one worker alone all of it is free."""

    def __init__(self, relay: Relay | None, app: str, heard: Heard) -> None:
        self._relay = relay or LocalRelay()
        self._is_alone = isinstance(self._relay, LocalRelay)
        self._relay.join(Peer(app, this_process(), heard, is_gone))
        self._leases: dict[Key, Lease] = {}
        self._giving: dict[Key, asyncio.Task[None]] = {}
        self._logs: WeakKeyDictionary[Turn, str] = WeakKeyDictionary()
        self._jobs = BackgroundTasks()

    async def listen(self) -> None:
        """Be there for the others."""
        if not self._is_alone:
            await self._relay.listen()

    async def take(self, key: Key, *, politely: bool = False, live: bool = False) -> None:
        """The right to run a chat. Busy: another worker has it.

        A live run elsewhere that has nothing to do lets it go, unless it is asked politely; so does
        its socket if the chat is taken for one here.
        """
        if self._is_alone or key in self._leases:
            return
        await self.listen()
        await self.given(key)
        lease = await self._relay.claim(key)
        if lease is None and not politely and await self._leave(key, live):
            lease = await self._relay.claim(key)
        if lease is None:
            raise Busy("A turn is already running in this chat.")
        self._leases[key] = lease

    async def _leave(self, key: Key, live: bool) -> bool:
        """Whether it is worth another try: also if nobody has the chat any more who could leave."""
        return (await self._ask(key, "leave", {"live": live})).get("left", True)

    def has(self, key: Key) -> bool:
        """Whether this worker may run the chat."""
        return key in self._leases

    def holds(self, key: Key) -> bool:
        """Whether this worker, and certainly no other, runs the chat."""
        lease = self._leases.get(key)
        return lease is not None and lease.granted

    def give(self, key: Key, log: str | None = None) -> None:
        """The chat is free again."""
        if lease := self._leases.pop(key, None):
            task = self._giving[key] = self._jobs.begin(self._relay.release(lease, log))
            task.add_done_callback(lambda one: self._given(key, one))

    def _given(self, key: Key, task: asyncio.Task[None]) -> None:
        if self._giving.get(key) is task:
            del self._giving[key]

    async def given(self, key: Key) -> None:
        """Wait until a chat that was given away can be taken by others."""
        if task := self._giving.get(key):
            await asyncio.wait([task])

    async def end(self, turn: Turn) -> None:
        """Give the chat of a turn away, before anybody hears of its end and comes for the next."""
        if not self._is_alone:
            self.give(turn.chat, self._logs.get(turn))
            await self.given(turn.chat)

    def show(self, turn: Turn) -> None:
        """Let other workers read a turn that is about to run."""
        if not self._is_alone:
            log = self._logs[turn] = self._relay.new_log()
            self._jobs.spawn(self._relay.publish(log, turn))

    def log_of(self, turn: Turn) -> str:
        """The name that other workers know a turn by."""
        return self._logs.get(turn, "")

    async def follow(self, key: Key, log: str | None = None) -> Turn | None:
        """A turn that runs on another worker, as one that can be read here."""
        followed = None if self._is_alone else await self._relay.follow(key, log)
        if followed is None:
            return None
        log_event("turn of another worker followed", chat_id=key[1])
        batches, earlier = followed
        turn = Turn("", key)
        turn.earlier = lambda: earlier

        async def copy() -> None:
            async for batch in batches:
                turn.put(batch)
            turn.end([])

        self._jobs.spawn(copy())
        return turn

    def settled(self, record: ApprovalRecord) -> None:
        """A request was answered here; the call may wait elsewhere."""
        if not self._is_alone:
            self._jobs.spawn(self._tell("wake", {"approval": record.id}))

    async def _tell(self, kind: str, body: dict[str, Any]) -> None:
        await self.listen()
        await self._relay.tell(kind, body)

    async def stop(self, key: Key) -> bool:
        """Stop a turn that runs on another worker."""
        return bool((await self._ask(key, "stop", surely=True)).get("stopped"))

    async def end_chat(self, key: Key) -> None:
        """End what goes on in a chat on another worker, a live run included."""
        await self._ask(key, "end", surely=True)

    async def go_on(self, key: Key) -> bool:
        """Let the worker that runs a chat go on with what was decided. False: none runs it."""
        return bool(await self._ask(key, "go-on"))

    async def unfinished(self, key: Key, here: str | None) -> str | None:
        """As `Chat.unfinished`, on another worker; if none runs the chat, what is known here."""
        try:
            return (await self._ask(key, "unfinished", surely=True)).get("unfinished", here)
        except Unavailable:
            return ""  # something may go on: nothing is said to have been cut off

    async def answer(
        self, who: Principal, key: Key, turn_input: TurnInput, style: str
    ) -> Turn | None:
        """Give answers to the worker whose live run waits for them; None: there is none."""
        body = {"who": [who.id, sorted(who.roles)], "style": style, "input": pack(turn_input)}
        answer = await self._ask(key, "answers", body)
        if error := answer.get("error"):
            raise Relayed(**error)
        if not answer.get("log"):
            return None
        if turn := await self.follow(key, answer["log"]):
            return turn
        raise Unavailable("The answer was taken, but what it led to cannot be shown.")

    async def _ask(
        self, key: Key, kind: str, body: dict[str, Any] | None = None, *, surely: bool = False
    ) -> dict[str, Any]:
        """What another worker answers; empty if none has the chat, or none can be reached."""
        if self._is_alone:
            return {}
        await self.listen()
        try:
            answer = await self._relay.ask(key, kind, {"chat": key, **(body or {})}) or {}
        except Unavailable:
            if surely:
                raise
            return {}
        if answer:
            log_event("another worker answered", chat_id=key[1], asked=kind)
        return answer

    async def close(self) -> None:
        """Finish what is being said, and go."""
        await self._jobs.done(CLOSE_SECONDS)
        self._jobs.cancel()
        await self._jobs.done(CLOSE_SECONDS)
        await self._relay.close()


class Relayed(StreamProtocolError):
    """What another worker answered."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code


def error_body(error: StreamProtocolError) -> dict[str, Any]:
    """An error as another worker is told of it."""
    return {"error": {"status": error.status, "code": error.code, "text": error.text}}


def pack(turn_input: TurnInput) -> dict[str, Any]:
    """Answers as plain values."""
    named = [
        {field.name: getattr(answer, field.name) for field in fields(Answer)}
        for answer in turn_input.answers
    ]
    given = [{name: one[name] for name in one if one[name] is not NOTHING} for one in named]
    return {"message_id": turn_input.message_id, "answers": given}


def unpack(body: dict[str, Any]) -> TurnInput:
    """The answers that were packed."""
    answers = [Answer(**packed) for packed in body["answers"]]
    return TurnInput(
        answers=tuple(replace(answer, ids=tuple(answer.ids)) for answer in answers),
        message_id=body["message_id"],
    )
