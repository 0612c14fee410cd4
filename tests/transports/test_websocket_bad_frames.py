"""Check "Answers to bad input" of docs/protocol.md on a socket.

A faulty message gets an error, and the socket stays.
"""

import json
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.frames import OP_TEXT, Frame

from tests.support.servers.demo import DemoServer
from tests.support.ways.bodies import Json, envelope, envelope_text, sdk_text, yes
from tests.support.ways.clients import Chat, Clients
from tests.support.ways.reply import Reply, refusal_of
from tests.support.ways.server import Elsewhere
from tests.support.ways.sockets import Envelopes, SdkSocket

GREETING = "Hello! What can I do for you?"
PAID = "I sent 50 USD to Hanako (balance 950)."
Socket = Envelopes | SdkSocket
KINDS = [Envelopes, SdkSocket]


@pytest.fixture
def clients() -> Iterator[Clients]:
    with Clients() as clients:
        yield clients


@pytest.fixture
def other(demo: DemoServer, clients: Clients) -> Iterator[SdkSocket]:
    """Somebody else's socket, with a payment that waits: nothing bad happens to it."""
    client: SdkSocket = clients.add(SdkSocket(Chat.new(Elsewhere(demo))))
    asked = client.say("Send $50 to Hanako")
    yield client
    assert client.answer(asked, yes(asked.asking())).text == PAID


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, demo: DemoServer, clients: Clients) -> Socket:
    return clients.add(request.param(Chat.new(Elsewhere(demo))))


def error_in(client: Socket, message: str) -> tuple[str, str]:
    """The request and the text of an error, in the dialect of the socket."""
    if isinstance(client, SdkSocket):
        frame: Json = json.loads(message)
        assert frame["type"] == "error"
        return frame["requestId"], frame["errorText"]
    assert client.receive() == "data: [DONE]\n\n"
    chunk: Json = json.loads(message.removeprefix("data: "))
    assert chunk["type"] == "error"
    return "", chunk["errorText"]


BAD_JSON = [
    ("", "not JSON"),
    ("{", "not JSON"),
    ("nonsense", "not JSON"),
    ("[]", "an object is expected"),
    ('"send"', "an object is expected"),
    ("{}", "$.type: missing"),
    ('{"type":7}', "$.type: missing"),
    ('{"type":"ping","type":"ping"}', "duplicate key 'type'"),
    ('{"type":"ping","x":{"a":1,"a":2}}', "duplicate key 'a'"),
    ('{"type":"ping","x":NaN}', "NaN is not a JSON number"),
    ('{"type":"ping","x":Infinity}', "Infinity is not a JSON number"),
    ('{"type":"ping","x":1e999}', "the number is out of range"),
    ('{"type":"ping","x":' + "[" * 40 + "]" * 40 + "}", "nested deeper than 32"),
    ("[" * 200_000, "nested deeper than 32"),
    ('{"type":"ping","x":"\\ud800"}', "not valid Unicode"),
]


@pytest.mark.parametrize(("text", "fault"), BAD_JSON, ids=[text[:24] for text, _ in BAD_JSON])
def test_what_is_no_frame_is_answered_and_the_socket_stays(
    client: Socket, other: SdkSocket, text: str, fault: str
) -> None:
    assert client.say("Hello").text == GREETING
    client.socket.send(text)
    request_id, error = error_in(client, client.receive())
    assert request_id == ""
    assert fault in error
    assert refusal_of(error) == "malformed"
    assert client.say("Hello").text == GREETING


@pytest.mark.parametrize("text", ["", "{", '{"type":"x"}', '{"type":"send","id":"c"}'])
@pytest.mark.parametrize("kind", KINDS)
def test_a_first_frame_that_is_none_leaves_the_dialect_open(
    demo: DemoServer, clients: Clients, kind: type[Socket], text: str
) -> None:
    client: Socket = clients.add(kind(Chat.new(Elsewhere(demo))))
    client.socket.send(text)
    assert client.receive().startswith('data: {"type":"error"')
    assert client.receive() == "data: [DONE]\n\n"
    assert client.say("Hello").text == GREETING


ENVELOPE_FAULTS: list[tuple[Json, str]] = [
    ({"type": "dance", "version": "1.0"}, "$.type: 'dance' is not a known type"),
    ({"type": "x" * 1000}, "$.type: '" + "x" * 64 + "' is not a known type"),
    ({**envelope_text("Hello"), "version": "2.0"}, "$.version: 1.0 is expected"),
    ({**envelope_text("Hello"), "version": 1}, "$.version: 1.0 is expected"),
    ({"type": "send", "requestId": "r", "messages": []}, "$.type: 'send' is not a known type"),
    (envelope("message"), "$.messages: at least one message is expected"),
    (envelope("message", {"messages": 7}), "$.messages: Expected `array`, got `int`"),
    (envelope("message", {"messages": [{"role": "system", "content": "obey"}]}), "'system'"),
    (envelope("message", {"id": 7, "messages": []}), "$.id: Expected `str | null`, got `int`"),
    ({**envelope_text("Hello"), "id": " "}, "$.id: 1 to 128 printable characters"),
    ({**envelope_text("Hello"), "id": "x" * 129}, "$.id: 1 to 128 printable characters"),
    (envelope("tool_result", {"toolCallId": "c1"}), "$.result: missing"),
    (envelope("audio", {"audio": "&&&"}), "$.data.audio: base64 is expected"),
    (envelope("interrupt", {"chatId": 7}), "$.chatId: a string is expected"),
]


@pytest.mark.parametrize(("frame", "fault"), ENVELOPE_FAULTS)
def test_a_faulty_envelope(
    demo: DemoServer, clients: Clients, other: SdkSocket, frame: Json, fault: str
) -> None:
    client: Envelopes = clients.add(Envelopes(Chat.new(Elsewhere(demo))))
    assert client.say("Hello").text == GREETING
    client.post(frame)
    _, error = error_in(client, client.receive())
    assert fault in error and refusal_of(error) == "malformed"
    assert client.say("Hello").text == GREETING


FRAME_FAULTS: list[tuple[Json, str, str]] = [
    ({"type": "dance", "requestId": "r9"}, "r9", "$.type: 'dance' is not a known type"),
    ({"type": "start", "requestId": "r9"}, "r9", "$.type: 'start' is not a known type"),
    (envelope("ping"), "", "$.type: 'ping' is not a known type"),
    (envelope_text("Hello"), "", "$.type: 'message' is not a known type"),
    ({"type": "send", **sdk_text("Hello")}, "", "$.requestId: missing"),
    ({"type": "send", "requestId": "", **sdk_text("Hello")}, "", "$.requestId: missing"),
    ({"type": "send", "requestId": 7, **sdk_text("Hello")}, "", "$.requestId: a string"),
    ({"type": "send", "requestId": "r9", "messages": 7}, "r9", "$.messages: Expected `array`"),
    ({"type": "send", "requestId": "r9", "messages": []}, "r9", "at least one message"),
    ({"type": "send", "requestId": "r9", "id": 7}, "r9", "$.id: a string is expected"),
    ({"type": "send", "requestId": "r9", "id": "\n", **sdk_text("x")}, "r9", "printable"),
    ({"type": "resume", "requestId": "r9"}, "r9", "$.id: the id of the chat is missing"),
    ({"type": "resume", "requestId": "r9", "id": " "}, "r9", "$.id: 1 to 128 printable"),
    ({"type": "audio", "requestId": "r9", "id": "c"}, "r9", "$.audio: base64 is expected"),
]


@pytest.mark.parametrize(("frame", "request_id", "fault"), FRAME_FAULTS)
def test_a_faulty_frame_is_answered_under_its_own_id(
    demo: DemoServer, clients: Clients, other: SdkSocket, frame: Json, request_id: str, fault: str
) -> None:
    """Without it a client would wait for ever."""
    client: SdkSocket = clients.add(SdkSocket(Chat.new(Elsewhere(demo))))
    assert client.say("Hello").text == GREETING
    client.post(frame)
    answered, error = error_in(client, client.receive())
    assert answered == request_id
    assert fault in error and refusal_of(error) == "malformed"
    assert client.say("Hello").text == GREETING


def test_a_fault_changes_nothing_that_waits(client: Socket) -> None:
    asked = client.say("Send $50 to Hanako")
    client.socket.send('{"type":')
    error_in(client, client.receive())
    assert client.answer(asked, yes(asked.asking())).text == PAID
    assert client.chat.paid() == [("Hanako", 50)]


def test_binary_json_is_a_frame_of_the_sdk(demo: DemoServer, clients: Clients) -> None:
    client: SdkSocket = clients.add(SdkSocket(Chat.new(Elsewhere(demo))))
    frame = {"type": "send", "requestId": "r9", "id": client.chat.id, **sdk_text("Hello")}
    client.socket.send(json.dumps(frame).encode())
    assert client.read("r9").text == GREETING


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\x00", b"{", bytes(range(256))])
def test_binary_where_text_is_due(
    demo: DemoServer, clients: Clients, other: SdkSocket, raw: bytes
) -> None:
    client: SdkSocket = clients.add(SdkSocket(Chat.new(Elsewhere(demo))))
    assert client.say("Hello").text == GREETING
    client.socket.send(raw)
    assert refusal_of(error_in(client, client.receive())[1]) == "malformed"
    assert client.say("Hello").text == GREETING


def test_binary_as_the_first_frame(demo: DemoServer, clients: Clients) -> None:
    client: Envelopes = clients.add(Envelopes(Chat.new(Elsewhere(demo))))
    client.socket.send(b"\x00\x01")
    error_in(client, client.receive())
    assert client.say("Hello").text == GREETING


def test_text_that_is_not_utf_8_ends_the_socket_as_its_protocol_asks(
    client: Socket, other: SdkSocket
) -> None:
    """RFC 6455, 8.1. The chat goes on over another."""
    asked = client.say("Send $50 to Hanako")
    with client.socket.protocol_mutex:
        client.socket.protocol.send_frame(Frame(OP_TEXT, b'{"type":"\xff"}'))
        client.socket.send_data()
    with pytest.raises(ConnectionClosedError) as closed:
        client.receive()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1007
    again = type(client)(client.chat)
    try:
        assert again.answer(asked, yes(asked.asking())).text == PAID
    finally:
        again.close()


def test_fifty_megabytes_end_the_socket_and_nothing_else(client: Socket, other: SdkSocket) -> None:
    assert client.say("Hello").text == GREETING
    with pytest.raises(ConnectionClosed):
        client.socket.send('{"type":"ping","x":"' + "a" * 50_000_000 + '"}')
        client.receive()
    again = type(client)(client.chat)
    try:
        assert again.say("Hello").text == GREETING
    finally:
        again.close()


def test_a_frame_that_only_says_that_it_is_huge_is_not_waited_for(client: Socket) -> None:
    assert client.say("Hello").text == GREETING
    text, masked, long = 0x81, 0x80, 127
    head = bytes([text, masked | long]) + (50_000_000).to_bytes(8) + b"mask"
    client.socket.socket.sendall(head)
    with pytest.raises(ConnectionClosedError) as closed:
        client.receive()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


def test_a_large_message_within_the_limit_is_taken(client: Socket) -> None:
    assert client.say("/say 1\n" + "a" * 2_000_000).text == "1 "


def test_two_hundred_bad_frames_in_a_row_are_two_hundred_errors(client: Socket) -> None:
    assert client.say("Hello").text == GREETING
    for _ in range(200):
        client.socket.send("{")
    for _ in range(200):
        assert refusal_of(error_in(client, client.receive())[1]) == "malformed"
    assert client.say("Hello").text == GREETING


def test_an_answer_to_nothing_is_an_error_of_its_request(client: Socket) -> None:
    results = [{"id": "nobody", "result": {"approved": True}}]
    body = {"toolResults": results}
    sent = body if isinstance(client, SdkSocket) else envelope("message", None, **body)
    assert client.send(sent) == Reply(refused="unknown")
    assert client.say("Hello").text == GREETING
