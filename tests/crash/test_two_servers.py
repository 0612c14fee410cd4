"""Two servers with one state and nothing between them: neither gets into the other's call."""

from concurrent.futures import ThreadPoolExecutor

from adk_stream_protocol.approvals.record import State
from tests.crash.conftest import NewServer
from tests.support.clients.attempts import Chat, outcome, told
from tests.support.clients.http import decision
from tests.support.sink import Sink
from tests.support.waiting import wait_until


def test_a_result_that_the_other_server_has_not_stored_yet(
    new_server: NewServer, sink: Sink
) -> None:
    """The result is recorded and its event is not: the same yes elsewhere waits for the event."""
    one, two = new_server(), new_server()
    chat, elsewhere = Chat(one.url, user="alice"), Chat(two.url, user="alice")
    elsewhere.id = chat.id
    request = chat.say("Send $5 to Bob").approvals[0]
    one.nap_at("after result")
    with ThreadPoolExecutor() as pool:
        first = pool.submit(chat.answer, decision(request, True))
        wait_until(lambda: one.record(request["approvalId"]).state is State.DONE)
        again = elsewhere.answer(decision(request, True))
        answer = first.result()
    assert outcome(answer, request) == outcome(again, request)
    assert answer.said and not [one for one in answer.chunks if one["type"] == "error"]
    assert len(told(elsewhere.context())) == len(sink.received) == 1
