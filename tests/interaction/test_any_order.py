"""Answers in every order, twice, from two sides, in the middle of things: one payment, no hang."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.ways.bodies import (
    Answer,
    Asked,
    envelope_answers,
    no,
    sdk_answers,
    sdk_text,
    yes,
)
from tests.support.ways.clients import Chat, Client, Clients, Http
from tests.support.ways.context import told
from tests.support.ways.reply import Reply
from tests.support.ways.server import Server
from tests.support.ways.sockets import Envelopes, SdkSocket

PAID = "I sent 50 USD to Hanako (balance 950)."
ENDS = ("tool-output-available", "tool-output-error", "tool-output-denied")


@pytest.fixture(params=["sequential", "parallel"])
def server(request: pytest.FixtureRequest, sequential: Server, parallel: Server) -> Server:
    return sequential if request.param == "sequential" else parallel


@pytest.fixture
def chat(server: Server) -> Chat:
    return Chat.new(server)


@pytest.fixture
def socket(chat: Chat, clients: Clients) -> SdkSocket:
    return clients.add(SdkSocket(chat))


@pytest.fixture
def http(chat: Chat, clients: Clients) -> Http:
    """The same user in the same chat, over HTTP."""
    return clients.add(Http(chat))


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def ends_of(reply: Reply) -> list[str]:
    return [chunk["type"] for chunk in reply.chunks if chunk["type"] in ENDS]


def server_turn(socket: SdkSocket) -> Reply:
    """The turn that the server began, once it has told of it."""
    assert socket.frame("server") == {"type": "turn", "requestId": "server", "id": socket.chat.id}
    reply = socket.resume()
    assert reply is not None
    return reply


def test_a_decision_elsewhere_the_moment_the_request_is_seen(socket: SdkSocket, http: Http) -> None:
    request = socket.start(sdk_text("Send $50 to Hanako"))
    asked = socket.read_until(request, "tool-approval-request").asking()
    assert http.decide(asked.approval_id or "", approved=True)["state"] == "approved"
    assert socket.read_rest(request).types[-1] == "finish"
    done = server_turn(socket)
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert socket.chat.paid() == [("Hanako", 50)]
    assert socket.say("Hello").text == "Hello! What can I do for you?"


def test_an_answer_the_moment_the_request_is_seen(socket: SdkSocket) -> None:
    request = socket.start(sdk_text("Send $50 to Hanako"))
    asked = socket.read_until(request, "tool-approval-request")
    answer = socket.start(sdk_answers(asked.message_id or "", "native", (yes(asked.asking()),)))
    assert socket.read_rest(request).chunks[-1]["finishReason"] == "tool-calls"
    done = socket.read(answer)
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert socket.chat.paid() == [("Hanako", 50)]


def test_an_answer_while_the_model_still_speaks(parallel: Server, clients: Clients) -> None:
    """What it says meanwhile comes; then the result, and what it says to that."""
    socket: SdkSocket = clients.add(SdkSocket(Chat.new(parallel)))
    asked = socket.say(
        '/call process_payment {"amount": 50, "recipient": "Hanako"}\n/hang 0.1\n/say 400'
    )
    done = socket.answer(asked, yes(asked.asking()))
    assert ends_of(done) == ["tool-output-available"]
    assert done.text.endswith(PAID)
    assert socket.chat.paid() == [("Hanako", 50)]
    assert [one.get("success") for one in told(socket, "process_payment")] == [True]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "last first"])
def test_two_answers_in_one_message(
    parallel: Server, clients: Clients, order: tuple[int, int]
) -> None:
    socket: SdkSocket = clients.add(SdkSocket(Chat.new(parallel)))
    asked = socket.say("Pay Alice $30 and Bob $40")
    both = asked.asked()
    done = socket.answer(asked, *(yes(both[n]) for n in order))
    assert ends_of(done) == ["tool-output-available"] * 2
    assert sorted(socket.chat.paid()) == [("Alice", 30), ("Bob", 40)]
    assert done.chunks[-1]["finishReason"] == "stop"


def test_two_answers_sent_before_the_first_is_read(parallel: Server, clients: Clients) -> None:
    """The second one ends the turn of the first; nothing is lost or done twice."""
    socket: SdkSocket = clients.add(SdkSocket(Chat.new(parallel)))
    asked = socket.say("Pay Alice $30 and Bob $40")
    requests = [
        socket.start(sdk_answers(asked.message_id or "", "native", (yes(one),)))
        for one in asked.asked()
    ]
    replies = [socket.read(request) for request in requests]
    assert sum(len(ends_of(reply)) for reply in replies) == 2
    assert sorted(socket.chat.paid()) == [("Alice", 30), ("Bob", 40)]
    assert "Alice" in replies[1].text and "Bob" in replies[1].text


def test_an_answer_after_a_reconnect(chat: Chat, socket: SdkSocket, clients: Clients) -> None:
    asked = socket.say("Send $50 to Hanako")
    socket.close()
    again: SdkSocket = clients.add(SdkSocket(chat))
    done = again.answer(asked, yes(asked.asking()))
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert chat.paid() == [("Hanako", 50)]


def test_a_socket_that_comes_back_first_and_answers_then(
    chat: Chat, socket: SdkSocket, clients: Clients
) -> None:
    asked = socket.say("Send $50 to Hanako")
    socket.close()
    again: SdkSocket = clients.add(SdkSocket(chat))
    assert again.resume() is None, "the turn is over; only the call waits"
    assert again.answer(asked, yes(asked.asking())).text == PAID
    assert chat.paid() == [("Hanako", 50)]


def test_the_same_answer_twice_at_once(socket: SdkSocket) -> None:
    asked = socket.say("Send $50 to Hanako")
    body = sdk_answers(asked.message_id or "", "native", (yes(asked.asking()),))
    requests = [socket.start(body) for _ in range(2)]
    replies = [socket.read(request) for request in requests]
    assert [(ends_of(reply), reply.text) for reply in replies] == [
        (["tool-output-available"], PAID)
    ] * 2
    assert socket.chat.paid() == [("Hanako", 50)]
    assert [one.get("success") for one in told(socket, "process_payment")] == [True]


def test_yes_and_no_at_once(socket: SdkSocket) -> None:
    """The first one counts, the second is told so."""
    asked = socket.say("Send $50 to Hanako")
    bodies = [
        sdk_answers(asked.message_id or "", "native", (one,))
        for one in (no(asked.asking()), yes(asked.asking()))
    ]
    requests = [socket.start(body) for body in bodies]
    first, second = [socket.read(request) for request in requests]
    assert second == Reply(refused="conflict")
    assert ends_of(first) == ["tool-output-denied"]
    assert socket.chat.paid() == []


def test_the_same_answer_on_two_sockets(
    chat: Chat, socket: SdkSocket, clients: Clients, threads: ThreadPoolExecutor
) -> None:
    """The newest socket has the chat; the old one may be closed under its answer."""
    asked = socket.say("Send $50 to Hanako")
    second: SdkSocket = clients.add(SdkSocket(chat))
    jobs = [
        threads.submit(answer_or_lose, one, asked, yes(asked.asking())) for one in (socket, second)
    ]
    replies = [job.result(60) for job in jobs]
    assert any(reply and reply.text == PAID for reply in replies), replies
    assert chat.paid() == [("Hanako", 50)]
    third: Http = clients.add(Http(chat))
    assert [one.get("success") for one in told(third, "process_payment")] == [True]


def answer_or_lose(client: SdkSocket, asked: Reply, answer: Answer) -> Reply | None:
    try:
        return client.answer(asked, answer)
    except ConnectionClosed:
        return None


def test_the_same_answer_over_both_transports_at_once(
    socket: SdkSocket, http: Http, threads: ThreadPoolExecutor
) -> None:
    asked = socket.say("Send $50 to Hanako")
    clients: tuple[Client, ...] = (socket, http)
    jobs = [threads.submit(one.answer, asked, yes(asked.asking())) for one in clients]
    replies = [job.result(60) for job in jobs]
    assert {reply.refused for reply in replies} <= {None, "busy"}
    assert any(reply.text == PAID for reply in replies)
    assert socket.chat.paid() == [("Hanako", 50)]
    assert [one.get("success") for one in told(http, "process_payment")] == [True]


def test_three_ways_to_say_yes_at_once(
    socket: SdkSocket, http: Http, threads: ThreadPoolExecutor
) -> None:
    asked = socket.say("Send $50 to Hanako")
    approval_id = asked.asking().approval_id or ""
    decided = threads.submit(http.post, f"/api/approvals/{approval_id}", {"approved": True})
    answered = threads.submit(socket.answer, asked, yes(asked.asking()))
    assert decided.result(60).status_code in (200, 409)
    assert answered.result(60).refused in (None, "busy", "conflict")
    assert settled(http) == [True]
    assert socket.chat.paid() == [("Hanako", 50)]


def settled(http: Http) -> list[bool | None]:
    """What the model was told, once the chat is free for another message."""
    for _ in range(200):
        reply = http.say("/echo")
        if reply.refused != "busy":
            parts = [p for c in json.loads(reply.text)["contents"] for p in c["parts"]]
            results = [p["function_response"] for p in parts if "function_response" in p]
            return [one["response"].get("success") for one in results]
    raise AssertionError("the chat stays busy")


def test_an_answer_over_http_to_a_request_on_the_socket(socket: SdkSocket, http: Http) -> None:
    asked = socket.say("Send $50 to Hanako")
    done = http.answer(asked, yes(asked.asking()))
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert socket.chat.paid() == [("Hanako", 50)]
    assert socket.say("Hello").text == "Hello! What can I do for you?"


def test_an_answer_on_the_socket_to_a_request_over_http(socket: SdkSocket, http: Http) -> None:
    asked = http.say("Send $50 to Hanako")
    done = socket.answer(asked, yes(asked.asking()))
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert socket.chat.paid() == [("Hanako", 50)]
    assert socket.say("Hello").text == "Hello! What can I do for you?"


def test_a_chat_keeps_its_history_over_both_transports(socket: SdkSocket, http: Http) -> None:
    """SSE, BIDI, SSE: with a request pending at each change."""
    asked = http.say("Send $50 to Hanako")
    assert socket.answer(asked, yes(asked.asking())).text == PAID
    asked = socket.say("Send $5 to Alice")
    assert http.answer(asked, yes(asked.asking())).text == "I sent 5 USD to Alice (balance 945)."
    assert http.say("Thanks").text == "You are welcome!"
    said = [
        part["text"]
        for content in socket.context()["contents"]
        for part in content["parts"]
        if content["role"] == "user" and "text" in part
    ]
    assert said == ["Send $50 to Hanako", "Send $5 to Alice", "Thanks", "/echo"]
    assert socket.chat.paid() == [("Hanako", 50), ("Alice", 5)]


def test_an_answer_by_envelope_to_a_request_in_frames(
    chat: Chat, socket: SdkSocket, clients: Clients
) -> None:
    """Another dialect is another socket: it takes the chat over."""
    asked = socket.say("Send $50 to Hanako")
    older: Envelopes = clients.add(Envelopes(chat))
    done = older.send(envelope_answers("m", (yes(asked.asking()),)))
    assert (ends_of(done), done.text) == (["tool-output-available"], PAID)
    assert chat.paid() == [("Hanako", 50)]


def test_an_answer_of_somebody_else_is_an_answer_to_nothing(
    chat: Chat, socket: SdkSocket, clients: Clients
) -> None:
    asked = socket.say("Send $50 to Hanako")
    stranger: SdkSocket = clients.add(SdkSocket(Chat(chat.server, "stranger", chat.id, "native")))
    unknown = Asked("process_payment", "nobody", "adk-nobody")
    assert stranger.answer(asked, yes(asked.asking())) == Reply(refused="unknown")
    assert stranger.answer(asked, yes(unknown)) == Reply(refused="unknown")
    assert chat.paid() == []
    assert socket.answer(asked, yes(asked.asking())).text == PAID
