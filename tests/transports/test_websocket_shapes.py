"""Send every shape of docs/protocol.md over the socket, by a client that knows no SDK."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.sdk.shapes import DECISIONS, Asked, Shape, assistant, s2, s7, tool_results
from tests.support.servers.demo import DemoServer
from tests.support.ways.bodies import Asked as Waiting
from tests.support.ways.bodies import Json, envelope
from tests.support.ways.clients import Chat, Clients, Style
from tests.support.ways.context import told
from tests.support.ways.reply import Reply
from tests.support.ways.server import Elsewhere
from tests.support.ways.sockets import Envelopes, SdkSocket

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
GREETING = "Hello! What can I do for you?"
FOUND = "You are at latitude 35.68, longitude 139.77."
PAID = "I sent 50 USD to Hanako (balance 950)."
ENDS = ("tool-output-available", "tool-output-error", "tool-output-denied")
Socket = Envelopes | SdkSocket


@pytest.fixture
def clients() -> Iterator[Clients]:
    with Clients() as clients:
        yield clients


CASES: list[tuple[type[Socket], Style, Shape]] = [
    *((Envelopes, style, shape) for style in ("adk-tool", "native") for shape in DECISIONS),
    *(
        (SdkSocket, style, shape)
        for style in ("native", "adk-tool")
        for shape in DECISIONS
        if not shape.__name__.startswith(("s9", "s10"))
    ),
]
every_shape = pytest.mark.parametrize(
    ("kind", "style", "shape"),
    CASES,
    ids=[f"{kind.__name__}-{style}-{shape.__name__}" for kind, style, shape in CASES],
)


@pytest.fixture
def connect(demo: DemoServer, clients: Clients) -> Callable[..., Any]:
    def connect(kind: type[Socket], style: Style) -> Socket:
        return clients.add(kind(Chat.new(Elsewhere(demo), style)))

    return connect


def send(client: Socket, body: Json) -> Reply:
    """Wrap one of the shapes in the dialect of the socket."""
    is_envelope = "type" in body or isinstance(client, SdkSocket)
    return client.send(body if is_envelope else envelope("message", body))


def ask(client: Socket, text: str) -> Asked:
    waiting: Waiting = client.say(text).asking()
    return Asked(waiting.name, waiting.call_id, waiting.approval_id or "")


def end_of(reply: Reply, asked: Asked) -> Json:
    """The chunk that ends the call."""
    ends = [chunk for chunk in reply.chunks if chunk["type"] in ENDS]
    (chunk,) = [chunk for chunk in ends if chunk["toolCallId"] == asked.call_id]
    return chunk


@every_shape
def test_a_yes_pays(
    connect: Callable[..., Socket], kind: type[Socket], style: Style, shape: Shape
) -> None:
    client = connect(kind, style)
    asked = ask(client, "Send $50 to Hanako")
    reply = send(client, shape(asked, True))
    assert end_of(reply, asked)["output"]["wallet_balance"] == 950
    assert reply.text == PAID
    assert client.chat.paid() == [("Hanako", 50)]
    assert [one["success"] for one in told(client, "process_payment")] == [True]


@every_shape
def test_a_no_pays_nothing(
    connect: Callable[..., Socket], kind: type[Socket], style: Style, shape: Shape
) -> None:
    client = connect(kind, style)
    asked = ask(client, "Send $50 to Hanako")
    reply = send(client, shape(asked, False))
    assert end_of(reply, asked)["type"] == (
        "tool-output-denied" if style == "native" else "tool-output-error"
    )
    assert "was denied" in reply.text
    assert client.chat.paid() == []
    assert ["denied" in one["error"] for one in told(client, "process_payment")] == [True]


@every_shape
def test_a_yes_lets_the_browser_look(
    connect: Callable[..., Socket], kind: type[Socket], style: Style, shape: Shape
) -> None:
    client = connect(kind, style)
    asked = ask(client, "Where am I?")
    go = send(client, shape(asked, True))
    assert [one.call_id for one in go.asked()] == [asked.call_id]
    assert (go.text, go.chunks[-1]["finishReason"]) == ("", "tool-calls")
    reply = send(client, tool_results((asked.call_id, HERE)))
    assert end_of(reply, asked)["output"] == HERE
    assert reply.text == FOUND
    assert told(client, "get_location") == [HERE]


TEXTS: list[Json] = [
    {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]},
    {"role": "user", "content": "Hello"},
    {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
]


@pytest.mark.parametrize("message", TEXTS, ids=["parts", "string", "content"])
@pytest.mark.parametrize("kind", [Envelopes, SdkSocket])
def test_s1_s10_s11_text(connect: Callable[..., Socket], kind: type[Socket], message: Json) -> None:
    bodies: list[Json] = [
        {"messages": [message], "trigger": "submit-message"},
        {"message": message},
    ]
    if kind is Envelopes:
        bodies += [envelope("message", body) for body in bodies] + [
            envelope("message", None, **body) for body in bodies
        ]
    for body in bodies:
        assert send(connect(kind, "native"), body).text == GREETING


@pytest.mark.parametrize("kind", [Envelopes, SdkSocket])
def test_s3_result_and_approval_in_one_part(
    connect: Callable[..., Socket], kind: type[Socket]
) -> None:
    client = connect(kind, "native")
    asked = ask(client, "Where am I?")
    body = s2(asked, True)
    body["messages"][0]["parts"][1] |= {"state": "output-available", "output": HERE}
    reply = send(client, body)
    assert (reply.message_id, reply.text) == ("m1", FOUND)
    assert told(client, "get_location") == [HERE]


@pytest.mark.parametrize("type", ["tool-change_bgm", "dynamic-tool"])
@pytest.mark.parametrize("kind", [Envelopes, SdkSocket])
def test_s4_a_result_without_approval(
    connect: Callable[..., Socket], kind: type[Socket], type: str
) -> None:
    client = connect(kind, "native")
    call = client.say("Change the BGM to track 2").asking()
    result = {"success": True, "track": 2}
    part = {"type": type, "toolName": "change_bgm", "toolCallId": call.call_id}
    body = assistant({**part, "state": "output-available", "output": result})
    assert send(client, body).text == "The music is now track 2."
    assert told(client, "change_bgm") == [result]


@pytest.mark.parametrize("style", ["native", "adk-tool"])
@pytest.mark.parametrize("kind", [Envelopes, SdkSocket])
def test_s8_approval_and_result_in_one_message(
    connect: Callable[..., Socket], kind: type[Socket], style: Style
) -> None:
    client = connect(kind, style)
    asked = ask(client, "Where am I?")
    both = tool_results((asked.approval_id, {"approval": "approved"}), (asked.call_id, HERE))
    reply = send(client, both)
    assert (end_of(reply, asked)["output"], reply.text) == (HERE, FOUND)
    assert told(client, "get_location") == [HERE]


@pytest.mark.parametrize("type", ["tool_result", "tool-result", "toolResult"])
def test_s9_the_result_of_a_browser_tool(connect: Callable[..., Socket], type: str) -> None:
    client = connect(Envelopes, "adk-tool")
    call = client.say("Change the BGM to track 2").asking()
    result = {"success": True, "track": 2}
    data = {"toolCallId": call.call_id, "toolName": "change_bgm", "result": result}
    assert client.send(envelope(type, data)).text == "The music is now track 2."
    assert told(client, "change_bgm") == [result]


def test_s10_several_results_at_the_root(demo: DemoServer, clients: Clients) -> None:
    """One after the other: that is how a sequential model asks."""
    client: Envelopes = clients.add(Envelopes(Chat.new(Elsewhere(demo), "native")))
    asked = [client.say("Pay Alice $30 and Bob $40").asking()]
    results = [{"id": asked[0].call_id, "result": {"approved": True}}]
    asked.append(client.send(envelope("message", None, toolResults=results)).asking())
    results.append({"id": asked[1].call_id, "result": {"approved": False}})
    with_old = client.send(envelope("message", None, toolResults=results))
    assert "Bob was denied" in with_old.text
    assert client.chat.paid() == [("Alice", 30)]


def test_s7_the_reason_reaches_the_model(connect: Callable[..., Socket]) -> None:
    client = connect(Envelopes, "adk-tool")
    send(client, s7(ask(client, "Send $50 to Hanako"), False))
    (response,) = told(client, "process_payment")
    assert response["reason"] == "because"


@pytest.mark.parametrize("word", ["true", "yes", 1, None, [], {}])
@pytest.mark.parametrize("kind", [Envelopes, SdkSocket])
def test_only_a_clear_yes_is_a_yes(
    connect: Callable[..., Socket], kind: type[Socket], word: Any
) -> None:
    client = connect(kind, "native")
    asked = ask(client, "Send $50 to Hanako")
    unclear = tool_results((asked.call_id, {"approved": word}))
    assert send(client, unclear) == Reply(refused="malformed")
    assert client.chat.paid() == []
    assert send(client, s2(asked, True)).text == PAID
