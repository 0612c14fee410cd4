"""Voice: what is said aloud on either side, and how either side is stopped."""

from base64 import b64decode, b64encode
from collections.abc import Callable

import pytest

from tests.support.ways.bodies import Json, envelope, envelope_text, sdk_text, yes
from tests.support.ways.clients import Chat, Clients, Http
from tests.support.ways.expect import said, step
from tests.support.ways.reply import Reply, normal
from tests.support.ways.server import Server
from tests.support.ways.sockets import Envelopes, SdkSocket

HELLO = "Hello! What can I do for you?"
WELCOME = "You are welcome!"
FINISH = {"type": "finish", "finishReason": "stop"}
STOPPED = {"type": "finish", "finishReason": "other"}


@pytest.fixture
def client(speaking: Server, clients: Clients) -> Envelopes:
    return clients.add(Envelopes(Chat.new(speaking)))


@pytest.fixture
def socket(speaking: Server, clients: Clients) -> SdkSocket:
    return clients.add(SdkSocket(Chat.new(speaking)))


def in_envelopes(client: Envelopes, sound: bytes) -> None:
    client.post(envelope("audio", {"audio": b64encode(sound).decode()}))


def in_binary(client: Envelopes, sound: bytes) -> None:
    client.socket.send(sound)


def hear(client: Envelopes, text: str, send: Callable[[Envelopes, bytes], None]) -> None:
    """Say something in two pieces."""
    client.say("Hello")
    half = len(text) // 2
    send(client, text[:half].encode())
    send(client, text[half:].encode())
    client.post(envelope("audio-end"))


def words(reply: Reply) -> Reply:
    return Reply([chunk for chunk in reply.chunks if chunk["type"] != "data-pcm"])


def test_the_words_of_the_model_are_text_beside_its_voice(client: Envelopes) -> None:
    done = client.say("Hello")
    assert normal(words(done)) == [
        [{"type": "start", "messageId": "m1"}, *step(*said(HELLO)), FINISH]
    ]
    voice = done.of("data-pcm")
    assert len(voice) == len(done.of("text-delta"))
    assert all(chunk["transient"] is True for chunk in voice)
    assert {chunk["data"]["mimeType"] for chunk in voice} == {"audio/pcm;rate=24000"}
    assert all(b64decode(chunk["data"]["data"]) for chunk in voice)


@pytest.mark.parametrize("send", [in_envelopes, in_binary])
def test_what_the_user_says_is_a_message_and_is_answered(
    client: Envelopes, send: Callable[[Envelopes, bytes], None]
) -> None:
    hear(client, "Thanks", send)
    start, heard, *answer = normal(words(client.read()))[0]
    assert start["type"] == "start"
    assert heard == {
        "type": "data-user-message",
        "id": heard["id"],
        "data": {"id": heard["id"], "text": "Thanks"},
    }
    assert answer == [*step(*said(WELCOME)), FINISH]


def test_each_turn_has_a_message_and_each_utterance_an_id_of_its_own(client: Envelopes) -> None:
    turns: list[Reply] = []
    for text in ("Thanks", "Hello"):
        in_envelopes(client, text.encode())
        client.post(envelope("audio-end"))
        turns.append(client.read())
    assert [turn.text for turn in turns] == [WELCOME, HELLO]
    assert len({turn.message_id for turn in turns}) == 2
    assert len({turn.of("data-user-message")[0]["id"] for turn in turns}) == 2


def test_speech_is_part_of_the_conversation(client: Envelopes, clients: Clients) -> None:
    """Also for the request that follows it."""
    hear(client, "Thanks", in_envelopes)
    client.read()
    http: Http = clients.add(Http(client.chat))
    texts = [p["text"] for c in http.context()["contents"] for p in c["parts"] if "text" in p]
    assert texts == ["Hello", HELLO, "Thanks", WELCOME, "/echo"]


def test_a_payment_by_voice_is_approved_by_a_click(client: Envelopes) -> None:
    hear(client, "Send $50 to Hanako", in_envelopes)
    asked = client.read()
    assert asked.of("data-user-message")[0]["data"]["text"] == "Send $50 to Hanako"
    assert client.answer(asked, yes(asked.asking())).of("tool-output-available")
    assert client.chat.paid() == [("Hanako", 50)]


def test_a_spoken_yes_is_no_approval(client: Envelopes) -> None:
    client.say("Send $50 to Hanako")
    in_envelopes(client, b"yes, approved, go ahead")
    client.post(envelope("audio-end"))
    client.read()
    assert client.chat.paid() == []


def test_speech_over_frames(socket: SdkSocket) -> None:
    """A client of the SDK's is told of the turn and reads it when it likes."""
    socket.say("Hello")
    sound = b64encode(b"Thanks").decode()
    frame: Json = {"requestId": "a1", "id": socket.chat.id}
    socket.post({"type": "audio", "audio": sound, **frame})
    socket.post({"type": "audio-end", **frame})
    assert socket.frame("server")["id"] == socket.chat.id
    turn = socket.resume()
    assert turn is not None and turn.text == WELCOME
    assert turn.of("data-user-message")[0]["data"]["text"] == "Thanks"


def test_noise_is_heard_as_nothing(client: Envelopes) -> None:
    in_envelopes(client, bytes(range(256)) * 20)
    client.post(envelope("audio-end"))
    assert client.say("Hello").text == HELLO


def test_the_user_may_cut_the_model_short(client: Envelopes) -> None:
    """`interrupted` closes the part; the answer to what was said is a turn of its own."""
    client.post(envelope_text("/say 2\n/hang 30\n/say 2"))
    while '"delta":"2 "' not in client.receive():
        pass
    in_envelopes(client, b"Thanks")
    client.post(envelope("audio-end"))
    assert words(client.read()).types == ["text-end", "finish-step", "finish"]
    answered = client.read()
    assert answered.text == WELCOME
    assert answered.of("data-user-message")[0]["data"]["text"] == "Thanks"


def test_an_interruption_by_the_model_closes_the_part(client: Envelopes) -> None:
    done = client.say("/say 2\n/interrupt")
    assert normal(words(done)) == [
        [{"type": "start", "messageId": "m1"}, *step(*said("1 2 ")), FINISH]
    ]
    assert client.say("Hello").text == HELLO


@pytest.mark.parametrize("kind", ["interrupt", "stop", "abort"])
@pytest.mark.parametrize("speaks", [True, False], ids=["voice", "text"])
def test_an_envelope_that_ends_the_turn(
    kind: str, speaks: bool, speaking: Server, sequential: Server, clients: Clients
) -> None:
    chat = Chat.new(speaking if speaks else sequential)
    client: Envelopes = clients.add(Envelopes(chat))
    client.post(envelope_text("/say 2\n/hang 30\n/say 2"))
    while '"delta":"2 "' not in client.receive():
        pass
    client.post(envelope(kind))
    assert normal(words(client.read())) == [
        [{"type": "text-end", "id": "0"}, {"type": "finish-step"}, STOPPED]
    ]
    assert client.say("Hello").text == HELLO


def test_an_abort_ends_the_turn_of_its_request(socket: SdkSocket) -> None:
    request = socket.start(sdk_text("/say 2\n/hang 30\n/say 2"))
    socket.read_until(request, "text-delta")
    socket.post({"type": "abort", "requestId": request})
    rest = socket.read_rest(request)
    assert rest.types[-3:] == ["text-end", "finish-step", "finish"]
    assert rest.chunks[-1]["finishReason"] == "other"
    assert socket.say("Hello").text == HELLO


def test_an_abort_of_a_turn_that_is_over_is_ignored(socket: SdkSocket) -> None:
    request = socket.start(sdk_text("Hello"))
    assert socket.read(request).text == HELLO
    socket.post({"type": "abort", "requestId": request})
    socket.post({"type": "abort", "requestId": "nobody"})
    assert socket.say("Thanks").text == WELCOME
    assert socket.others == []


def test_a_stop_over_http_ends_the_turn_on_the_socket(socket: SdkSocket, clients: Clients) -> None:
    http: Http = clients.add(Http(socket.chat))
    request = socket.start(sdk_text("/say 2\n/hang 30\n/say 2"))
    socket.read_until(request, "text-delta")
    answer = http.post(f"/api/chat/{socket.chat.id}/stop", {})
    assert answer.json() == {"stopped": True}
    assert socket.read_rest(request).chunks[-1]["finishReason"] == "other"
    assert http.post(f"/api/chat/{socket.chat.id}/stop", {}).json() == {"stopped": False}
    assert socket.say("Hello").text == HELLO


def test_a_stop_cancels_nothing_that_waits(socket: SdkSocket, clients: Clients) -> None:
    asked = socket.say("Send $50 to Hanako")
    http: Http = clients.add(Http(socket.chat))
    http.post(f"/api/chat/{socket.chat.id}/stop", {})
    done = socket.answer(asked, yes(asked.asking()))
    assert done.of("tool-output-available")
    assert socket.chat.paid() == [("Hanako", 50)]
