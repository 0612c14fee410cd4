"""Killed between the record of a request and its event: nobody was asked, so nobody can say yes."""

import httpx
import pytest

from adk_stream_protocol.approvals.record import State
from tests.support.clients.attempts import Chat, attempt, told
from tests.support.clients.http import Json, decision
from tests.support.clients.sync_socket import SyncSocketChat
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

PAYMENT = "Send $5 to Bob"
LOCATION = "Where am I?"


def waiting(chat: Chat) -> list[Json]:
    address = f"{chat.url}/api/approvals"
    return httpx.get(address, headers=chat.headers, verify=False).json()["approvals"]


def kill_while_asking(server: CrashServer, chat: Chat, way: str, said: str) -> None:
    """The server dies with the record stored and the event not."""
    server.die_at("after request")
    if way == "http":
        message = {"id": "u", "role": "user", "parts": [{"type": "text", "text": said}]}
        assert attempt(chat, {"messages": [message]}).broken
    else:
        with SyncSocketChat.connect(chat.url, chat.id, chat.user or "") as socket:
            assert socket.try_to_say(said).broken
    server.restart()


def the_record(server: CrashServer, chat: Chat) -> str:
    (record,) = server.records_of(chat.id)
    return record.id


@pytest.mark.parametrize("said", [PAYMENT, LOCATION])
@pytest.mark.parametrize("way", ["http", "socket"])
def test_a_yes_is_refused(sqlite_server: CrashServer, sink: Sink, way: str, said: str) -> None:
    chat = Chat(sqlite_server.url, user="alice")
    kill_while_asking(sqlite_server, chat, way, said)
    left = the_record(sqlite_server, chat)
    assert chat.decide(left) == 409
    assert sqlite_server.record(left).state is State.CANCELLED
    assert chat.decide(left) == 409
    request = {"approvalId": left, "toolCallId": sqlite_server.record(left).call_id}
    assert chat.answer(decision(request, True)).status in (404, 409, 422)
    assert sink.received == [] and sqlite_server.starts() == []


@pytest.mark.parametrize("way", ["http", "socket"])
def test_it_waits_for_nobody(sqlite_server: CrashServer, way: str) -> None:
    chat = Chat(sqlite_server.url, user="alice")
    asked = Chat(sqlite_server.url, user="alice")
    request = asked.say(PAYMENT).approvals[0]
    kill_while_asking(sqlite_server, chat, way, PAYMENT)
    left = the_record(sqlite_server, chat)
    listed = {one["id"] for one in waiting(chat)}
    assert request["approvalId"] in listed and left not in listed
    assert sqlite_server.record(left).state is State.CANCELLED
    assert asked.decide(request["approvalId"], False) == 200


@pytest.mark.parametrize("way", ["http", "socket"])
def test_the_chat_goes_on(sqlite_server: CrashServer, sink: Sink, way: str) -> None:
    chat = Chat(sqlite_server.url, user="alice")
    kill_while_asking(sqlite_server, chat, way, PAYMENT)
    assert told(chat.context()) == []  # ADK leaves a call without a result out
    request = chat.say(PAYMENT).approvals[0]
    assert chat.answer(decision(request, True)).status == 200
    assert len(sink.received) == 1
