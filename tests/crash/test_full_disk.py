"""No disk left: nothing runs, nothing is acknowledged, and later all is as if nothing had been."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_stream_protocol.approvals.record import State
from tests.crash.conftest import NewServer
from tests.support.clients.attempts import Chat, outcome, told
from tests.support.clients.http import Json, decision
from tests.support.databases.disk import Disk, small_disk
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def server(disk: Disk, new_server: NewServer) -> CrashServer:
    return new_server(disk.folder)


def ask(server: CrashServer) -> tuple[Chat, Json]:
    chat = Chat(server.url, user="alice")
    return chat, chat.say("Send $5 to Bob").approvals[0]


def check_paid_once(server: CrashServer, sink: Sink, chat: Chat, request: Json) -> None:
    """With the disk back, the same yes works, once."""
    replies = [chat.answer(decision(request, True)) for _ in range(2)]
    assert all(outcome(reply, request)["output"]["success"] for reply in replies)
    record = server.record(request["approvalId"])
    assert (record.state, server.starts()) == (State.DONE, [record.idempotency_key])
    assert [key for key, _ in sink.received] == [record.idempotency_key]
    assert told(chat.context()) == [outcome(replies[0], request)["output"]]


def test_full_at_the_decision(disk: Disk, server: CrashServer, sink: Sink) -> None:
    chat, request = ask(server)
    disk.fill()
    for approved in (True, False, True):
        assert chat.answer(decision(request, approved)).status == 503
        assert chat.decide(request["approvalId"], approved) == 503
    assert server.record(request["approvalId"]).state is State.PENDING
    assert (server.starts(), sink.received) == ([], [])
    disk.free()
    assert server.trail(request["approvalId"]) == ["request"]
    check_paid_once(server, sink, chat, request)


@pytest.mark.parametrize("moment", ["after approve", "before claim"])
def test_full_at_the_claim(disk: Disk, server: CrashServer, sink: Sink, moment: str) -> None:
    chat, request = ask(server)
    server.fill_at(moment)
    reply = chat.answer(decision(request, True))
    (error,) = reply.of_type("error")
    assert "(internal" not in error["errorText"] and "(model" not in error["errorText"]
    assert not reply.of_type("tool-output-available")
    assert server.record(request["approvalId"]).state is State.APPROVED
    assert (server.starts(), sink.received) == ([], [])
    disk.free()
    check_paid_once(server, sink, chat, request)


def test_full_at_the_claim_and_then_a_new_message(
    disk: Disk, server: CrashServer, sink: Sink
) -> None:
    chat, request = ask(server)
    server.fill_at("before claim")
    assert chat.answer(decision(request, True)).of_type("error")
    disk.free()
    (answer,) = told(chat.context())
    assert "cancelled" in answer["error"]
    assert server.record(request["approvalId"]).state is State.LAPSED
    assert chat.answer(decision(request, True)).status == 409
    assert (server.starts(), sink.received) == ([], [])


@pytest.mark.parametrize("then", ["the same yes", "a new message", "a restart"])
def test_full_after_the_effect(disk: Disk, server: CrashServer, sink: Sink, then: str) -> None:
    chat, request = ask(server)
    server.fill_at("before result")
    first = chat.answer(decision(request, True))
    assert "did not run" not in first.text
    disk.free()
    if then == "a restart":
        server.kill()
        server.start()
    if then != "a new message":
        again = outcome(chat.answer(decision(request, True)), request)
        assert again.get("errorText", "").startswith("outcome_unknown") or again["output"]
    (answer,) = told(chat.context())
    assert answer.get("error", "").startswith("outcome_unknown") or answer["success"] is True
    assert server.record(request["approvalId"]).state in (State.UNKNOWN, State.DONE)
    assert len(server.starts()) == len(sink.received) == 1


def test_full_when_asking(disk: Disk, server: CrashServer, sink: Sink) -> None:
    chat, _ = ask(server)
    disk.fill()
    reply = chat.say("Send $5 to Bob")
    assert reply.status == 503 or reply.of_type("error") and not reply.approvals
    disk.free()
    request = chat.say("Send $5 to Bob").approvals[0]
    assert outcome(chat.answer(decision(request, True)), request)["output"]["success"] is True
    assert len(sink.received) == 1
