"""Killed at any time, over and over, with several approvals under way."""

import random
import threading
import time

import pytest

from tests.crash.conftest import NewServer
from tests.support.crash.comparison import Case
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink
from tests.support.times import TIMES

KILLS = 25 * TIMES
LONGEST = 0.25
"""Seconds from the click to the kill; longer than a turn takes."""


@pytest.mark.parametrize("seed", [1])
def test_killed_at_any_time(new_server: NewServer, sink: Sink, seed: int) -> None:
    chance = random.Random(seed)
    server = new_server()
    cases: list[Case] = []
    for _ in range(KILLS):
        case = Case.ask(server, chance.random() < 0.8, chance.random() < 0.8)
        old = chance.choice(cases) if cases else case
        cases.append(case)
        kill_during(server, [case, old], chance)
        server.start()
        case.check_nothing_lost(server)
        old.check_nothing_lost(server)
    for one in cases:
        one.check_nothing_lost(server)
        one.settle(server, sink)
    keys = [key for key, _ in sink.received]
    assert len(keys) == len(set(keys))


def kill_during(server: CrashServer, cases: list[Case], chance: random.Random) -> None:
    """Some say all in one request, some send one after the other; then the lights go out."""
    senders = [
        threading.Thread(target=send, args=(case, chance.random() < 0.5))
        for case in {id(case): case for case in cases}.values()
    ]
    for sender in senders:
        sender.start()
    time.sleep(chance.random() * LONGEST)
    server.kill()
    for sender in senders:
        sender.join(30)
        assert not sender.is_alive()


def send(case: Case, at_once: bool) -> None:
    if at_once:
        case.send()
    else:
        for choice in case.choices:
            case.send(choice)
