"""What people decided, what is stored of it, and what the sink saw: do they agree?"""

from dataclasses import dataclass, field
from typing import Any

from adk_stream_protocol.approvals.record import State
from tests.support.clients.attempts import Chat, outcome, told, try_to_answer
from tests.support.clients.http import Json, Reply, decision
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

TWO_PAYMENTS = "Pay Alice $3 and Bob $4"
BODIES = [
    {"amount": 3, "recipient": "Alice", "currency": "USD"},
    {"amount": 4, "recipient": "Bob", "currency": "USD"},
]


@dataclass
class Choice:
    """One verdict of a person on one request."""

    request: Json
    body: dict[str, Any]
    approved: bool
    acknowledged: bool = False

    @property
    def id(self) -> str:
        return self.request["approvalId"]

    @property
    def part(self) -> Json:
        return decision(self.request, self.approved)


@dataclass
class Case:
    """A chat with two requests and what a person says to them."""

    chat: Chat
    choices: list[Choice] = field(default_factory=list[Choice])

    @classmethod
    def ask(cls, server: CrashServer, *approved: bool) -> "Case":
        chat = Chat(server.url, user="alice")
        requests = chat.say(TWO_PAYMENTS).approvals
        choices = [Choice(*one) for one in zip(requests, BODIES, approved, strict=True)]
        return cls(chat, choices)

    def send(self, *choices: Choice) -> None:
        """Say it once, to a server that may die meanwhile."""
        sent = choices or tuple(self.choices)
        if try_to_answer(self.chat, *(choice.part for choice in sent)).acknowledged:
            for choice in sent:
                choice.acknowledged = True

    def check_nothing_lost(self, server: CrashServer) -> None:
        for choice in self.choices:
            said = {"approve", "deny"} & set(server.trail(choice.id))
            wanted = {"approve" if choice.approved else "deny"}
            assert said == wanted if choice.acknowledged else said <= wanted

    def settle(self, server: CrashServer, sink: Sink) -> None:
        """Say the same again, and compare all there is to compare."""
        parts = [choice.part for choice in self.choices]
        self.chat.answer(*parts)
        reply = self.chat.answer(*parts)
        answers = told(self.chat.context())
        for choice, answer in zip(self.choices, answers, strict=True):
            self._compare(choice, reply, answer, server, sink)

    def _compare(
        self, choice: Choice, reply: Reply, answer: Json, server: CrashServer, sink: Sink
    ) -> None:
        record, shown = server.record(choice.id), outcome(reply, choice.request)
        paid = sink.paid(record.idempotency_key)
        claims = server.trail(choice.id).count("claim")
        match record.state:
            case State.DONE:
                assert choice.approved and paid == [choice.body] and claims == 1
                assert shown["output"] == answer and answer["success"] is True
            case State.UNKNOWN:
                assert choice.approved and paid in ([], [choice.body]) and claims == 1
                assert shown["errorText"] == answer["error"]
                assert answer["error"].startswith("outcome_unknown")
            case state:
                assert state is State.DENIED and not choice.approved
                assert (paid, claims, shown["type"]) == ([], 0, "tool-output-denied")
        assert server.starts().count(record.idempotency_key) <= claims
