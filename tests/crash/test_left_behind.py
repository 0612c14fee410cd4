"""What a dead process or a busy chat leaves behind is found and carried on with."""

import os
import signal
import subprocess
import sys

import pytest

from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.process_id import is_gone
from tests.support.clients.attempts import Chat, outcome, told
from tests.support.clients.http import decision
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink
from tests.support.waiting import wait_until

NAME_YOURSELF = (
    "from adk_stream_protocol.process_id import this_process;"
    "print(this_process(), flush=True); input()"
)


def test_a_dead_process_that_nobody_reaped_is_gone() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NAME_YOURSELF], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        holder = process.stdout.readline().decode().strip()
        assert not is_gone(holder)
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(holder)


@pytest.mark.parametrize("moment", ["before claim", "after claim", "after post", "after result"])
def test_killed_after_a_decision_outside_of_the_chat(
    sqlite_server: CrashServer, sink: Sink, moment: str
) -> None:
    """The person who decided got a 200; saying it again carries on what the kill cut off."""
    chat = Chat(sqlite_server.url, user="alice")
    request = chat.say("Send $5 to Bob").approvals[0]
    sqlite_server.die_at(moment)
    assert chat.decide(request["approvalId"]) == 200
    sqlite_server.restart()
    assert chat.decide(request["approvalId"], False) == 409
    assert chat.decide(request["approvalId"]) == 200
    lost = moment in ("after claim", "after post")
    final = State.UNKNOWN if lost else State.DONE
    wait_until(lambda: sqlite_server.record(request["approvalId"]).state is final)
    wait_until(lambda: chat.answer(decision(request, True)).status == 200)
    chunk = outcome(chat.answer(decision(request, True)), request)
    assert chunk["type"] == ("tool-output-error" if lost else "tool-output-available")
    assert len(sink.received) == (moment != "after claim")
    assert len(told(chat.context())) == 1


def test_a_decision_while_the_chat_is_busy(sqlite_server: CrashServer, sink: Sink) -> None:
    """Both are acknowledged, so both are carried out."""
    chat = Chat(sqlite_server.url, user="alice")
    requests = chat.say("Pay Alice $3 and Bob $4").approvals
    first, second = (request["approvalId"] for request in requests)
    sink.close_after_noting()
    assert chat.decide(first) == 200
    assert sink.arrived.acquire(timeout=60)
    assert chat.decide(second) == 200
    sink.open.set()
    wait_until(lambda: sqlite_server.record(second).state is State.DONE)
    assert sqlite_server.record(first).state is State.DONE
    assert len(sqlite_server.starts()) == len(sink.received) == 2
