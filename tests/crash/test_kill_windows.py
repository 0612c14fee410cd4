"""Killed at every window of an approval: no double effect, no lost decision, no hidden doubt."""

from dataclasses import dataclass

import pytest

from adk_stream_protocol.approvals.record import State
from tests.support.clients.attempts import Attempt, Chat, outcome, told, try_to_answer
from tests.support.clients.http import Json, decision
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

PENDING = ("before approve", "committing approve")
APPROVED = (
    "after approve",
    "before answer",
    "after answer",
    "before claim",
    "committing claim",
)
STARTED = ("after claim", "after post", "after pay", "before result", "committing result")
DONE = ("after result", "before response", "after response")

moments = pytest.mark.parametrize("moment", (*PENDING, *APPROVED, *STARTED, *DONE))
PAYMENT = {"amount": 5, "recipient": "Bob", "currency": "USD"}


@dataclass
class Killed:
    """A server that was killed while it dealt with a yes, and started again."""

    server: CrashServer
    chat: Chat
    request: Json
    first: Attempt
    stored: State

    @property
    def id(self) -> str:
        return self.request["approvalId"]

    @property
    def key(self) -> str:
        return self.server.record(self.id).idempotency_key


def kill_at(server: CrashServer, moment: str) -> Killed:
    chat = Chat(server.url, user="alice")
    request = chat.say("Send $5 to Bob").approvals[0]
    server.die_at(moment)
    first = try_to_answer(chat, decision(request, True))
    assert first.broken
    server.restart()
    return Killed(server, chat, request, first, server.record(request["approvalId"]).state)


def check_stored(killed: Killed, sink: Sink, moment: str) -> None:
    """What the kill left is what the moment says, and no acknowledged yes is gone."""
    record = killed.server.record(killed.id)
    if moment in PENDING:
        assert record.state is State.PENDING and not killed.first.acknowledged
    elif moment in APPROVED:
        assert record.state is State.APPROVED
    else:
        assert record.state is (State.EXECUTING if moment in STARTED else State.DONE)
    if record.state is not State.PENDING:
        assert (record.decided_by, record.reason) == ("alice", None)
    paid = moment in (*STARTED[1:], *DONE)
    assert sink.paid(record.idempotency_key) == [PAYMENT] * paid == [b for _, b in sink.received]


@moments
def test_the_same_yes_again(server: CrashServer, sink: Sink, moment: str) -> None:
    killed = kill_at(server, moment)
    check_stored(killed, sink, moment)
    recorded = server.record(killed.id).result
    replies = [killed.chat.answer(decision(killed.request, True)) for _ in range(2)]
    context = killed.chat.context()
    for reply in replies:
        chunk = outcome(reply, killed.request)
        if moment in STARTED:
            assert chunk["type"] == "tool-output-error"
            assert chunk["errorText"].startswith("outcome_unknown")
        else:
            assert chunk["output"]["success"] is True
    record = server.record(killed.id)
    assert record.state is (State.UNKNOWN if moment in STARTED else State.DONE)
    if recorded:
        assert record.result == recorded
    (response,) = told(context)
    assert ("outcome_unknown" in response.get("error", "")) == (moment in STARTED)
    assert response == outcome(replies[0], killed.request).get("output", response)
    assert sink.paid(killed.key) == [PAYMENT] * (moment != "after claim")
    assert len(sink.received) == (moment != "after claim")
    assert server.starts().count(killed.key) == (moment != "after claim")
    assert server.trail(killed.id).count("claim") == 1


@moments
def test_a_new_message_instead(sqlite_server: CrashServer, sink: Sink, moment: str) -> None:
    server = sqlite_server
    killed = kill_at(server, moment)
    before = list(sink.received)
    (response,) = told(killed.chat.context())
    record = server.record(killed.id)
    if moment in STARTED:
        assert record.state is State.UNKNOWN
        assert response["error"].startswith("outcome_unknown")
    elif moment in DONE:
        assert record.state is State.DONE and response["success"] is True
    else:
        assert record.state is (State.CANCELLED if moment in PENDING else State.LAPSED)
        assert "cancelled" in response["error"]
    assert killed.chat.answer(decision(killed.request, True)).status == 409
    assert told(killed.chat.context()) == [response]
    assert sink.received == before
    assert server.record(killed.id) == record
    assert server.trail(killed.id).count("claim") == (moment in (*STARTED, *DONE))


@pytest.mark.parametrize("moment", ["before deny", "committing deny", "after deny", "after answer"])
def test_a_no(server: CrashServer, sink: Sink, moment: str) -> None:
    chat = Chat(server.url, user="alice")
    request = chat.say("Send $5 to Bob").approvals[0]
    server.die_at(moment)
    assert try_to_answer(chat, decision(request, False, reason="too much")).broken
    server.restart()
    stands = moment.startswith("after")
    assert server.record(request["approvalId"]).state is (State.DENIED if stands else State.PENDING)
    if stands:
        assert chat.answer(decision(request, True)).status == 409
    reply = chat.answer(decision(request, False, reason="too much"))
    assert outcome(reply, request)["type"] == "tool-output-denied"
    assert told(chat.context())[0]["reason"] == "too much"
    assert (server.starts(), sink.received) == ([], [])
