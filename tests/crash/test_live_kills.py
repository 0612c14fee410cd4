"""Killed at every window of an approval in a live chat: the same promises as in a request."""

from contextlib import AbstractContextManager

import pytest

from adk_stream_protocol.approvals.record import State
from tests.crash.conftest import NewServer
from tests.support.clients.attempts import Chat, outcome, told
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.sync_socket import SyncSocketChat
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

PAYMENT = {"amount": 5, "recipient": "Bob", "currency": "USD"}
PENDING = ("before approve", "committing approve")
APPROVED = ("after approve", "before claim", "committing claim")
STARTED = ("after claim", "after post", "after pay", "before result", "committing result")
DONE = ("after result", "before response", "after response")
MOMENTS = (*PENDING, *APPROVED, *STARTED, *DONE)

ways = pytest.mark.parametrize(
    ("moment", "way"), [(moment, ("http", "socket")[n % 2]) for n, moment in enumerate(MOMENTS)]
)
ways_back = pytest.mark.parametrize(
    ("moment", "way"), [(moment, ("socket", "http")[n % 2]) for n, moment in enumerate(MOMENTS)]
)


class LiveChat:
    """A chat that goes on over a socket or over HTTP, as the test likes."""

    def __init__(self, server: CrashServer) -> None:
        self.http = Chat(server.url, user="alice")

    def socket(self) -> AbstractContextManager[SyncSocketChat]:
        return SyncSocketChat.connect(self.http.url, self.http.id, "alice")

    def answer(self, way: str, *parts: Json) -> Reply:
        if way == "http":
            return self.http.answer(*parts)
        with self.socket() as socket:
            return socket.answer(*parts)

    def told(self, way: str) -> list[Json]:
        """What the model of either kind was told of payments."""
        if way == "http":
            return told(self.http.context())
        with self.socket() as socket:
            return told(socket.context())


def kill_at(server: CrashServer, moment: str) -> tuple[LiveChat, Json]:
    """A request whose yes the server did not survive; it runs again."""
    chat = LiveChat(server)
    with chat.socket() as socket:
        request = socket.say("Send $5 to Bob").approvals[0]
        server.die_at(moment)
        first = socket.try_to_answer(decision(request, True))
        assert first.broken
    server.restart()
    stored = server.record(request["approvalId"]).state
    assert stored is stored_at(moment)
    assert stored is not State.PENDING or not first.acknowledged
    return chat, request


def stored_at(moment: str) -> State:
    if moment in PENDING:
        return State.PENDING
    if moment in APPROVED:
        return State.APPROVED
    return State.EXECUTING if moment in STARTED else State.DONE


@ways
def test_the_same_yes_again(sqlite_server: CrashServer, sink: Sink, moment: str, way: str) -> None:
    chat, request = kill_at(sqlite_server, moment)
    answers = [chat.answer(way, decision(request, True)) for _ in range(2)]
    for chunk in (outcome(answer, request) for answer in answers):
        if moment in STARTED:
            assert chunk["errorText"].startswith("outcome_unknown")
        else:
            assert chunk["output"]["success"] is True
    record = sqlite_server.record(request["approvalId"])
    assert record.state is (State.UNKNOWN if moment in STARTED else State.DONE)
    (response,) = chat.told(way)
    shown = outcome(answers[0], request)
    lost = {"error": shown.get("errorText"), "outcome": "unknown"}
    assert response == shown.get("output", lost)
    key = record.idempotency_key
    assert [body for _, body in sink.received] == [PAYMENT] * (moment != "after claim")
    assert sqlite_server.starts().count(key) == (moment != "after claim")
    assert sqlite_server.trail(record.id).count("claim") == 1


@ways_back
def test_a_new_message_instead(
    sqlite_server: CrashServer, sink: Sink, moment: str, way: str
) -> None:
    chat, request = kill_at(sqlite_server, moment)
    before = list(sink.received)
    (response,) = chat.told(way)
    record = sqlite_server.record(request["approvalId"])
    if moment in STARTED:
        assert record.state is State.UNKNOWN
        assert response["error"].startswith("outcome_unknown")
    elif moment in DONE:
        assert record.state is State.DONE and response["success"] is True
    else:
        assert record.state is (State.CANCELLED if moment in PENDING else State.LAPSED)
        assert "cancelled" in response["error"]
    assert chat.answer(way, decision(request, True)).status in (0, 409)
    assert chat.told(way) == [response] and sink.received == before


@pytest.mark.parametrize("way", ["http", "socket"])
def test_killed_while_two_calls_wait(new_server: NewServer, sink: Sink, way: str) -> None:
    server = new_server(ADK_STREAM_LIVE_CALLS="parallel")
    chat = LiveChat(server)
    with chat.socket() as socket:
        one, two = socket.say("Pay Alice $3 and Bob $4").approvals
        server.kill()
    server.start()
    first = chat.answer(way, decision(two, True))
    assert outcome(first, two)["output"]["recipient"] == "Bob" and first.said == ""
    server.kill()
    server.start()
    last = chat.answer("http" if way == "socket" else "socket", decision(one, False))
    assert outcome(last, one)["type"] == "tool-output-denied" and last.said
    denied, done = chat.told(way)
    assert "denied" in denied["error"] and done["success"] is True
    assert [body["recipient"] for _, body in sink.received] == ["Bob"]


def test_killed_after_a_decision_outside_of_the_chat(new_server: NewServer, sink: Sink) -> None:
    server = new_server()
    chat = LiveChat(server)
    with chat.socket() as socket:
        request = socket.say("Send $5 to Bob").approvals[0]
        server.die_at("before claim")
        assert chat.http.decide(request["approvalId"]) == 200
        server.restart()
    chunk = outcome(chat.answer("socket", decision(request, True)), request)
    assert chunk["output"]["success"] is True
    assert chat.told("http") == [chunk["output"]] and len(sink.received) == 1
