"""A tool that says it may be started again is started again, under the same key."""

import pytest

from adk_stream_protocol.approvals.record import State
from tests.crash.conftest import NewServer
from tests.support.clients.attempts import Chat, outcome, told, try_to_answer
from tests.support.clients.http import Json, decision
from tests.support.servers import mortal_demo
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

PAYMENT = {"amount": 5, "recipient": "Bob", "currency": "USD"}


@pytest.fixture
def idempotent(new_server: NewServer) -> CrashServer:
    return new_server(**{mortal_demo.IDEMPOTENT: "1"})


def kill_at(server: CrashServer, moment: str) -> tuple[Chat, Json]:
    chat = Chat(server.url, user="alice")
    request = chat.say("Send $5 to Bob").approvals[0]
    server.die_at(moment)
    assert try_to_answer(chat, decision(request, True)).broken
    server.restart()
    return chat, request


def test_it_is_started_again_with_the_same_key(idempotent: CrashServer, sink: Sink) -> None:
    posts = {"after claim": 1, "after post": 2, "after pay": 1, "committing result": 1}
    for moment, count in posts.items():
        sink.received.clear()
        chat, request = kill_at(idempotent, moment)
        assert idempotent.record(request["approvalId"]).state is State.EXECUTING
        replies = [chat.answer(decision(request, True)) for _ in range(2)]
        assert all(outcome(reply, request)["output"]["success"] for reply in replies)
        record = idempotent.record(request["approvalId"])
        assert record.state is State.DONE
        assert sink.received == [(record.idempotency_key, PAYMENT)] * count, moment
        assert idempotent.trail(record.id).count("claim") == 2
        assert told(chat.context()) == [outcome(replies[0], request)["output"]]


def test_a_recorded_result_is_still_replayed(idempotent: CrashServer, sink: Sink) -> None:
    chat, request = kill_at(idempotent, "after result")
    recorded = idempotent.record(request["approvalId"])
    assert outcome(chat.answer(decision(request, True)), request)["output"]["success"] is True
    assert idempotent.record(request["approvalId"]) == recorded
    assert idempotent.starts() == [key for key, _ in sink.received] == [recorded.idempotency_key]


def test_it_is_not_started_again_by_itself(idempotent: CrashServer, sink: Sink) -> None:
    chat, request = kill_at(idempotent, "after post")
    (answer,) = told(chat.context())
    assert answer["error"].startswith("outcome_unknown")
    assert idempotent.record(request["approvalId"]).state is State.UNKNOWN
    assert chat.answer(decision(request, True)).status == 409
    assert len(sink.received) == len(idempotent.starts()) == 1
