"""A yes under an id that is foreign, unknown, settled or expired starts nothing, in any shape."""

import json
from collections.abc import Iterator

import pytest

from adk_stream_protocol.approvals.record import State
from tests.support.clients.attempts import Chat
from tests.support.crash.forgeries import FORGED, Forgery, ask, asked_of, shapes
from tests.support.sdk.shapes import Asked, s2
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory, one_sink: Sink) -> Iterator[CrashServer]:
    """A server whose requests expire at once."""
    state = tmp_path_factory.mktemp("hasty")
    server = CrashServer(state, one_sink.url, ADK_STREAM_APPROVAL_TTL="0").start()
    yield server
    server.kill()


@shapes
def test_foreign_and_unknown_ids(sqlite_server: CrashServer, sink: Sink, shape: Forgery) -> None:
    victim = Chat(sqlite_server.url, user="alice")
    attacker = Chat(sqlite_server.url, user="bob")
    foreign, own = ask(victim), ask(attacker)
    unknown = Asked("process_payment", "adk-0", "adk-1")
    for asked in (foreign, unknown):
        assert attacker.post(shape(asked, True)).status == 404
        assert Chat(victim.url, "bob", id=victim.id).post(shape(asked, True)).status == 404
    assert sqlite_server.record(foreign.approval_id).state is State.PENDING
    assert sqlite_server.record(own.approval_id).state is State.PENDING
    assert FORGED not in json.dumps([victim.context(), attacker.context()])
    assert (sqlite_server.starts(), sink.received) == ([], [])


@pytest.mark.parametrize("swapped", ["approval id", "call id"])
@pytest.mark.parametrize("whose", ["foreign", "unknown", "own, of another call"])
def test_ids_that_do_not_belong_together(
    sqlite_server: CrashServer, sink: Sink, swapped: str, whose: str
) -> None:
    chat = Chat(sqlite_server.url, user="bob")
    first, second = map(asked_of, chat.say("Pay Alice $3 and Bob $4").approvals)
    other = {
        "foreign": ask(Chat(sqlite_server.url, user="alice")),
        "unknown": Asked("process_payment", "adk-0", "adk-1"),
        "own, of another call": second,
    }[whose]
    if swapped == "approval id":
        mixed = Asked(first.tool, first.call_id, other.approval_id)
    else:
        mixed = Asked(first.tool, other.call_id, first.approval_id)
    assert chat.post(s2(mixed, True)).status in (404, 422)
    assert (sqlite_server.starts(), sink.received) == ([], [])


@shapes
def test_settled_ids(sqlite_server: CrashServer, sink: Sink, shape: Forgery) -> None:
    chat = Chat(sqlite_server.url, user="carol")
    denied = ask(chat)
    chat.post(s2(denied, False))
    late = chat.post(shape(denied, True))
    assert late.status in (409, 422) or late.of_type("tool-output-denied")
    cancelled = ask(chat)
    done = ask(chat)
    assert chat.post(shape(cancelled, True)).status in (409, 422)
    assert sink.received == []
    paid = chat.post(s2(done, True))
    replay = chat.post(shape(done, True))
    assert replay.status in (200, 409, 422)
    if replay.status == 200:
        assert replay.of_type("tool-output-available") == paid.of_type("tool-output-available")
    assert FORGED not in replay.text + json.dumps(chat.context())
    assert len(sqlite_server.starts()) == len(sink.received) == 1


@shapes
def test_expired_ids(hasty: CrashServer, sink: Sink, shape: Forgery) -> None:
    hasty.ready()
    chat = Chat(hasty.url, user="alice")
    expired = ask(chat)
    for _ in range(2):
        assert chat.post(shape(expired, True)).status in (410, 422)
    assert FORGED not in json.dumps(chat.context())
    assert chat.post(shape(expired, True)).status in (409, 410, 422)
    assert (hasty.starts(), sink.received) == ([], [])


def test_decisions_outside_of_the_chat(
    sqlite_server: CrashServer, hasty: CrashServer, sink: Sink
) -> None:
    hasty.ready()
    chat, other = Chat(sqlite_server.url, user="alice"), Chat(sqlite_server.url, user="bob")
    first = ask(chat)
    assert other.decide(first.approval_id) == 404
    assert [chat.decide(first.call_id), chat.decide("adk-1")] == [404, 404]
    assert Chat(sqlite_server.url, user="mallory").decide(first.approval_id) == 401
    for word in ("true", "yes", 1, 1.0, None, [], {}, [True]):
        assert chat.decide(first.approval_id, word) == 422
    assert sqlite_server.record(first.approval_id).state is State.PENDING
    second = ask(chat)
    assert chat.decide(first.approval_id) == 409
    chat.post(s2(second, False))
    assert [chat.decide(second.approval_id), other.decide(second.approval_id)] == [409, 404]
    late = Chat(hasty.url, user="alice")
    assert late.decide(ask(late).approval_id) == 410
    assert (sqlite_server.starts(), hasty.starts(), sink.received) == ([], [], [])
