"""This worker among the others: which chats it may run, and what it hears of the rest."""

from dataclasses import fields, replace
from typing import Any

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal
from adk_stream_protocol.convert.calls import NOTHING
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.errors import Busy, StreamProtocolError
from adk_stream_protocol.replay.jobs import Jobs
from adk_stream_protocol.replay.relay import Heard, Lease, LocalRelay, Relay
from adk_stream_protocol.runtime.turn import Turn
from adk_stream_protocol.runtime.turns import Key

FOLLOW_SECONDS = 5.0
IDLE_SECONDS = 3600.0


class Workers:
    """Leases and talk. With one worker alone all of it is free."""

    def __init__(self, relay: Relay | None, heard: Heard) -> None:
        self._relay = relay or LocalRelay()
        self._is_alone = isinstance(self._relay, LocalRelay)
        self._heard = heard
        self._leases: dict[Key, Lease] = {}
        self._jobs = Jobs()

    async def take(self, key: Key) -> None:
        """The right to run a chat. Busy: another worker has it."""
        if self._is_alone or key in self._leases:
            return
        await self._relay.listen(self._heard)
        lease = await self._relay.claim(key)
        if lease is None:
            raise Busy("A turn is already running in this chat.")
        self._leases[key] = lease

    def give(self, key: Key) -> None:
        """The chat is free again."""
        if lease := self._leases.pop(key, None):
            self._jobs.spawn(self._relay.release(lease))

    def show(self, turn: Turn) -> None:
        """Let other workers read a turn that is about to run."""
        if not self._is_alone:
            batches = turn.batches(IDLE_SECONDS)
            self._jobs.spawn(self._relay.publish(turn.chat, batches, lambda: turn.earlier()))

    async def follow(self, key: Key, patience: float = 0.0) -> Turn | None:
        """A turn that runs on another worker, as one that can be read here."""
        if self._is_alone:
            return None
        followed = await self._relay.follow(key, patience)
        if followed is None:
            return None
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
            self._jobs.spawn(self._relay.tell("wake", {"approval": record.id}))

    async def stop(self, key: Key) -> bool:
        """Stop a turn that runs on another worker."""
        answer = None if self._is_alone else await self._relay.ask(key, "stop", {"chat": key})
        return bool(answer and answer.get("stopped"))

    async def leave(self, key: Key) -> None:
        """Ask the worker that holds a chat live, with nothing running, to let it go."""
        if not self._is_alone:
            await self._relay.ask(key, "leave", {"chat": key})

    async def answer(
        self, who: Principal, key: Key, turn_input: TurnInput, style: str
    ) -> Turn | None:
        """Give answers to the worker whose live run waits for them; None: there is none."""
        body = {"chat": key, "who": [who.id, sorted(who.roles)], "style": style}
        if self._is_alone:
            return None
        answer = await self._relay.ask(key, "answers", body | {"input": pack(turn_input)})
        if answer is None or "error" in answer:
            if answer and answer["error"]:
                raise Relayed(**answer["error"])
            return None
        return await self.follow(key, FOLLOW_SECONDS)

    async def close(self) -> None:
        """Finish what is being said, and go."""
        await self._jobs.done(2)
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
