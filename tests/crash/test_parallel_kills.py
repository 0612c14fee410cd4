"""Two payments at once, the server killed at every window of the first and of the second."""

import pytest

from adk_stream_protocol.approvals.record import State
from tests.support.clients.attempts import outcome
from tests.support.crash.comparison import Case
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

MOMENTS = [
    f"{when} {what} {time}"
    for when, what in (
        ("after", "approve"),
        ("before", "claim"),
        ("after", "claim"),
        ("after", "post"),
        ("after", "pay"),
        ("after", "result"),
    )
    for time in (1, 2)
]


@pytest.mark.parametrize("moment", [*MOMENTS, "before response", "after response"])
def test_two_yeses_in_one_request(sqlite_server: CrashServer, sink: Sink, moment: str) -> None:
    case = Case.ask(sqlite_server, True, True)
    sqlite_server.die_at(moment)
    case.send()
    sqlite_server.restart()
    case.check_nothing_lost(sqlite_server)
    case.settle(sqlite_server, sink)


@pytest.mark.parametrize("moment", ["after approve 1", "after claim", "after result"])
def test_a_yes_and_a_no(sqlite_server: CrashServer, sink: Sink, moment: str) -> None:
    case = Case.ask(sqlite_server, True, False)
    sqlite_server.die_at(moment)
    case.send()
    sqlite_server.restart()
    case.check_nothing_lost(sqlite_server)
    case.settle(sqlite_server, sink)


@pytest.mark.parametrize("moment", ["after claim", "after pay", "after result", "after response"])
def test_the_first_is_answered_alone(sqlite_server: CrashServer, sink: Sink, moment: str) -> None:
    case = Case.ask(sqlite_server, True, True)
    first, second = case.choices
    sqlite_server.die_at(moment)
    case.send(first)
    sqlite_server.restart()
    case.check_nothing_lost(sqlite_server)
    assert sqlite_server.record(second.id).state is State.PENDING
    # The page has no outcome of the first yet; it answers both, as the SDK's helper does.
    reply = case.chat.answer(first.part, second.part)
    assert outcome(reply, second.request)["output"]["success"] is True
    started = moment in ("after claim", "after pay")
    wanted = "tool-output-error" if started else "tool-output-available"
    assert outcome(reply, first.request)["type"] == wanted
    case.settle(sqlite_server, sink)
