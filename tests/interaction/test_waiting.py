"""While a call waits for a person the conversation goes on around it."""

from base64 import b64encode

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.holds import held
from tests.support.ways.bodies import envelope, envelope_answers, envelope_text, yes
from tests.support.ways.clients import Chat, Clients, Http
from tests.support.ways.context import told
from tests.support.ways.expect import payment, receipt, said
from tests.support.ways.reply import Reply, normal
from tests.support.ways.server import Server, new_name
from tests.support.ways.sockets import Envelopes, SdkSocket

PAY = '/call process_payment {"amount": 50, "recipient": "Hanako"}'
PAID = "I sent 50 USD to Hanako (balance 950)."
HELLO = "Hello! What can I do for you?"
GOES_ON = {"type": "start", "messageId": "m1"}
WAITS = {"type": "finish", "finishReason": "tool-calls"}


@pytest.fixture
def client(parallel: Server, clients: Clients) -> Envelopes:
    """A client that is shown every turn, with a model that goes on while calls wait."""
    return clients.add(Envelopes(Chat.new(parallel)))


@pytest.fixture
def spoken(speaking: Server, clients: Clients) -> Envelopes:
    return clients.add(Envelopes(Chat.new(speaking)))


def speak(client: Envelopes, text: str) -> None:
    client.post(envelope("audio", {"audio": b64encode(text.encode()).decode()}))
    client.post(envelope("audio-end"))


def until_said(client: Envelopes, delta: str) -> None:
    """Read on until the model has said this."""
    while f'"delta":"{delta}"' not in client.receive():
        pass


def test_what_the_model_says_meanwhile_arrives(client: Envelopes) -> None:
    asked = client.say(f"{PAY}\n/say 3")
    until_said(client, "3 ")
    assert client.chat.paid() == []
    client.post(envelope_answers("m", (yes(asked.asking()),)))
    rest, done = client.read(), client.read()
    assert rest.types == ["text-end", "finish"]
    assert done.text == PAID
    assert client.chat.paid() == [("Hanako", 50)]


def test_words_are_not_repeated_by_the_turn_that_they_run_into(client: Envelopes) -> None:
    """An answer in the middle of a sentence: the next turn has the rest of it, once."""
    asked = client.say(f"{PAY}\n/say 3\n/hang 0.2\n/say 3")
    until_said(client, "3 ")
    client.post(envelope_answers("m", (yes(asked.asking()),)))
    rest, done = client.read(), client.read()
    assert rest.text + done.text == f"1 2 3 {PAID}"
    assert done.types.count("tool-output-available") == 1


def test_a_turn_of_speech_is_over_although_a_call_waits(spoken: Envelopes) -> None:
    """It goes on with the message of the call and in its step: the helpers look at the last."""
    asked = spoken.say(f"{PAY}\n/say 3")
    meanwhile = spoken.read()
    assert normal(asked, without_sound(meanwhile))[1] == [GOES_ON, *said("1 2 3 "), WAITS]
    done = spoken.answer(asked, yes(asked.asking()))
    assert done.text == PAID
    assert spoken.chat.paid() == [("Hanako", 50)]


def without_sound(reply: Reply) -> Reply:
    return Reply([chunk for chunk in reply.chunks if chunk["type"] != "data-pcm"])


def test_what_the_user_says_meanwhile_is_heard_and_answered(spoken: Envelopes) -> None:
    asked = spoken.say("Send $50 to Hanako")
    speak(spoken, "Hello")
    meanwhile = normal(asked, without_sound(spoken.read()))[1]
    heard = meanwhile[1]
    assert (heard["type"], heard["data"]["text"]) == ("data-user-message", "Hello")
    assert [meanwhile[0], *meanwhile[2:]] == [GOES_ON, *said(HELLO), WAITS]
    done = spoken.answer(asked, yes(asked.asking()))
    assert done.text == PAID
    assert told(spoken, "process_payment") == [receipt(payment(1, 50, "Hanako"), 950)]


def test_an_interruption_meanwhile_arrives(spoken: Envelopes) -> None:
    asked = spoken.say(f"{PAY}\n/say 2\n/hang 30\n/say 2")
    until_said(spoken, "2 ")
    speak(spoken, "Hello")
    interrupted = without_sound(spoken.read())
    assert interrupted.types == ["text-end", "finish"]
    answered = without_sound(spoken.read())
    assert answered.of("data-user-message")[0]["data"]["text"] == "Hello"
    assert answered.text == HELLO
    assert spoken.answer(asked, yes(asked.asking())).text == PAID
    assert spoken.chat.paid() == [("Hanako", 50)]


@pytest.mark.parametrize("kind", ["sequential", "parallel"])
def test_typed_text_meanwhile_reaches_the_model(
    kind: str, sequential: Server, parallel: Server, clients: Clients
) -> None:
    server = parallel if kind == "parallel" else sequential
    socket: SdkSocket = clients.add(SdkSocket(Chat.new(server)))
    socket.say("Send $50 to Hanako")
    assert socket.say("What is the weather in London?").of("tool-output-available")
    asked = socket.say("Send $5 to Alice")
    assert socket.answer(asked, yes(asked.asking())).text == "I sent 5 USD to Alice (balance 995)."
    assert socket.chat.paid() == [("Alice", 5)]


def test_a_socket_with_a_call_that_waits_serves_its_other_chats(
    sequential: Server, clients: Clients
) -> None:
    socket: SdkSocket = clients.add(SdkSocket(Chat.new(sequential)))
    asked = socket.say("Send $50 to Hanako")
    other = socket.start(
        {"messages": [{"role": "user", "content": "Hello"}]}, id=f"{socket.chat.id}-other"
    )
    assert socket.read(other).text == HELLO
    assert socket.answer(asked, yes(asked.asking())).text == PAID


def test_a_ping_meanwhile_is_answered(client: Envelopes) -> None:
    asked = client.say("Send $50 to Hanako")
    client.post(envelope("ping", timestamp=7))
    assert client.receive() == '{"type":"pong","version":"1.0","timestamp":7}'
    assert client.answer(asked, yes(asked.asking())).text == PAID


def test_text_is_held_until_the_last_approval_is_answered(
    parallel: Server, clients: Clients
) -> None:
    """In the adk-tool style, whatever the model says meanwhile."""
    chat = Chat.new(parallel, "adk-tool")
    client: Envelopes = clients.add(Envelopes(chat))
    asked = client.say(
        '/say 2\n/call process_payment {"amount": 30, "recipient": "Alice"}\n'
        '/call process_payment {"amount": 40, "recipient": "Bob"}'
    )
    alice, bob = asked.asked()
    first = client.answer(asked, yes(alice))
    assert (asked.text, first.text) == ("", "")
    assert first.of("tool-output-available")[-1]["output"]["recipient"] == "Alice"
    last = client.answer(asked, yes(bob))
    assert last.text.startswith("1 2 I sent 30 USD to Alice")
    assert last.types.index("tool-output-available") < last.types.index("text-start")


def test_a_call_elsewhere_that_nobody_reads_is_paid_all_the_same(
    client: Envelopes, clients: Clients
) -> None:
    """The decision comes over HTTP; what follows is shown to the socket that is there."""
    asked = client.say("Send $50 to Hanako")
    http: Http = clients.add(Http(client.chat))
    http.decide(asked.asking().approval_id or "", approved=True)
    done = client.read()
    assert done.of("tool-output-available") and done.text == PAID
    assert client.chat.paid() == [("Hanako", 50)]


def test_a_message_in_the_middle_of_an_answer_is_refused(client: Envelopes) -> None:
    """Only one turn of the client's at a time; the running one is not disturbed."""
    client.post(envelope_text(held(client.chat.id)))
    until_said(client, "3 ")
    client.post(envelope_text("Hello"))
    client.socket.send("{")
    client.post({**envelope("resume"), "id": new_name("chat")})
    client.chat.release()
    assert client.read().text == "1 2 "
    for code in ("busy", "malformed"):
        refused = client.receive()
        assert '"type":"error"' in refused and f"({code}, reference " in refused
        assert client.receive() == "data: [DONE]\n\n"
    assert client.receive() == "data: [DONE]\n\n", "nothing to resume there"
    assert client.say("Hello").text == HELLO


def test_who_sends_what_is_refused_without_end_is_closed(client: Envelopes) -> None:
    client.post(envelope_text("/say 2\n/hang 20\n/say 2"))
    until_said(client, "2 ")
    with pytest.raises(ConnectionClosed) as closed:
        for _ in range(100):
            client.socket.send("{")
        client.read()
    assert closed.value.rcvd and closed.value.rcvd.code == 1008
