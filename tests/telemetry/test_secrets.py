"""Nothing that a person said, a tool was given or a key opens is in a log, a span or a metric."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.clients.http import RawChat, decision
from tests.support.clients.socket import SocketChat
from tests.support.servers.observed import TOKEN, ObservedServer

pytestmark = pytest.mark.processes

SECRETS = ("86.43", "Quorra", "plum season", "Where is my umbrella", TOKEN)
PAY = '/call process_payment {"amount": 86.43, "recipient": "Quorra"}'


def leaks(server: ObservedServer) -> list[str]:
    told = {"telemetry": server.telemetry().text, "log": server.log_file.read_text()}
    return [f"{one} in the {where}" for where in told for one in SECRETS if one in told[where]]


def pay(chat: RawChat) -> None:
    """A yes and a no, both with a reason."""
    for approved in (True, False):
        request = chat.say(PAY).approvals[0]
        assert "86.43" in chat.answer(decision(request, approved, reason="plum season")).said


async def test_a_payment_leaves_no_trace_of_what_it_was(observed: ObservedServer) -> None:
    pay(observed.chat())
    headers = {"authorization": f"Bearer {TOKEN}"}
    address = observed.url.replace("http", "ws") + "/live"
    async with SocketChat.connect(address, "secret-live", headers) as client:
        request = (await client.say(PAY)).approvals[0]
        part = decision(request, True, "process_payment", reason="plum season")
        assert "86.43" in (await client.answer(part)).said
        assert (await client.say("Where is my umbrella?")).said
    observed.get(f"/leave/{TOKEN}/secret-live")
    assert observed.telemetry().one("live_session", gen_ai__conversation__id="secret-live")
    assert leaks(observed) == []


def test_what_another_process_asked_is_linked_and_a_broken_store_says_nothing(
    tmp_path: Path,
) -> None:
    with process(tmp_path) as asking:
        answered, decided = asking.chat(), asking.chat()
        requests = [one.say(PAY).approvals[0] for one in (answered, decided)]
        told = asking.telemetry()
        first, second = told.named("turn")
        assert leaks(asking) == []
    with process(tmp_path) as going_on:
        answered.url = going_on.url
        assert answered.answer(decision(requests[0], True, reason="plum season")).said
        with going_on.client() as client:
            path = f"/api/approvals/{requests[1]['approvalId']}"
            said = {"approved": True, "reason": "plum season"}
            assert client.post(path, json=said).status_code == 200
        told = going_on.until(lambda told: len(told.named("turn")) == 2)
        for chat, asked in ((answered, first), (decided, second)):
            wait = told.one("await_approval process_payment", gen_ai__conversation__id=chat.id)
            turn = told.one("turn", gen_ai__conversation__id=chat.id)
            assert wait.trace == asked.trace and turn.links == [wait.parent]
        break_events(tmp_path)
        assert "reference" in answered.say("Where is my umbrella?").text
        lines = [line for line in going_on.log() if "exception" in line]
        assert lines and all("IntegrityError" in line["exception"] for line in lines)
        failed = going_on.telemetry().one("turn", adk_stream__outcome="failed")
        assert failed.attributes["error.type"] == "unavailable"
        assert leaks(going_on) == []


@contextmanager
def process(state: Path) -> Generator[ObservedServer]:
    server = ObservedServer(state).start()
    try:
        yield server
    finally:
        server.stop()


def break_events(state: Path) -> None:
    """The store can be read, but takes no events."""
    with sqlite3.connect(state / "sessions.sqlite3") as database:
        database.execute(
            "CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'broken'); END"
        )
    database.close()
