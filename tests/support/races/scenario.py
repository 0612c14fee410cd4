"""Generated races: who sends what about which record, from which of the processes."""

import random
from dataclasses import dataclass
from typing import Literal

from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chat_id import ChatId

Kind = Literal["yes", "no", "cancel", "expire"]

PROCESSES = 2
PLACE = ChatId("shop", "alice", "s")
ARGUMENTS = {"amount": 5, "to": "Bob"}
CHAIN = ("manager", "executive")
POLICIES = (ApprovalPolicy("pay"), ApprovalPolicy("chain", steps=CHAIN))
TTL = 600.0


@dataclass(frozen=True)
class Sender:
    """One who acts on a record at the same moment as the others."""

    name: str
    process: int
    kind: Kind
    stale: bool
    """Acts on the record as it was before the start, rather than reading it again."""

    def person(self, tool: str, step: int) -> Principal:
        """Without steps only the asker may decide; with steps anybody of the role."""
        return (
            Principal("alice") if tool == "pay" else Principal(self.name, frozenset(CHAIN[step:]))
        )


@dataclass(frozen=True)
class Race:
    """One record and its 2 to 20 senders."""

    id: str
    tool: str
    senders: tuple[Sender, ...]

    def of(self, process: int) -> list[Sender]:
        return [sender for sender in self.senders if sender.process == process]

    def has(self, kind: Kind) -> bool:
        return any(sender.kind == kind for sender in self.senders)


def races(seed: int, count: int) -> list[Race]:
    """The same for the same seed, in every process."""
    chance = random.Random(seed)
    return [_race(chance, f"{seed}-{index}") for index in range(count)]


def _race(chance: random.Random, name: str) -> Race:
    # Mostly a few, sometimes very many: each sender is some five statements.
    count = chance.choices([2, 3, 4, 8, 13, 20], weights=[20, 8, 4, 2, 1, 1])[0]
    kinds: list[Kind] = ["yes", "no"]
    if chance.random() < 0.4:
        kinds.append(chance.choice(["cancel", "expire"]))
    senders = tuple(
        Sender(
            name=f"{name}/{index}",
            process=index % PROCESSES,
            kind=chance.choice(kinds),
            stale=chance.random() < 0.7,
        )
        for index in range(count)
    )
    return Race(f"adk-{name}", chance.choice(["pay", "pay", "pay", "chain"]), senders)
