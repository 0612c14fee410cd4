"""Sockets with envelopes: how the chat is named, what style they speak, what they are sent."""

import json
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection, connect

from tests.support.holds import WHOLE, held
from tests.support.servers.demo import DemoServer
from tests.support.ways.bodies import Json, envelope, envelope_answers, envelope_text, yes
from tests.support.ways.clients import Chat, Clients
from tests.support.ways.reply import Reply
from tests.support.ways.server import SECONDS, Elsewhere, new_name
from tests.support.ways.sockets import Envelopes

GREETING = "Hello! What can I do for you?"
PAID = "I sent 50 USD to Hanako (balance 950)."


class Bare(Envelopes):
    """A client that puts into the address what it is told to, and nothing else."""

    def __init__(self, chat: Chat, **query: str) -> None:
        self._query = query
        super().__init__(chat)

    def query_of(self, chat: Chat) -> dict[str, str]:
        return self._query


@pytest.fixture
def clients() -> Iterator[Clients]:
    with Clients() as clients:
        yield clients


@pytest.fixture
def chat(demo: DemoServer) -> Chat:
    return Chat.new(Elsewhere(demo), "adk-tool")


def users_texts(client: Envelopes, **fields: str) -> list[str]:
    """What the user said in the chat that the client is in."""
    reply = client.send({**envelope_text("/echo"), **fields})
    return texts_in(reply)


def texts_in(reply: Reply) -> list[str]:
    contents: list[Json] = json.loads(reply.text)["contents"]
    mine = [part for content in contents if content["role"] == "user" for part in content["parts"]]
    return [part["text"] for part in mine if "text" in part]


def test_the_chat_is_named_in_the_address(chat: Chat, clients: Clients) -> None:
    first: Bare = clients.add(Bare(chat, chatId=chat.id))
    assert first.say("Hello").text == GREETING
    first.close()
    second: Bare = clients.add(Bare(chat, chatId=chat.id))
    assert users_texts(second) == ["Hello", "/echo"]


@pytest.mark.parametrize("key", ["id", "chatId"])
def test_the_chat_is_named_in_the_envelope(chat: Chat, clients: Clients, key: str) -> None:
    client: Bare = clients.add(Bare(chat))
    names = {key: new_name("chat")}, {key: new_name("chat")}
    assert client.send({**envelope_text("Hello"), **names[0]}).text == GREETING
    assert client.send({**envelope_text("Thanks"), **names[1]}).text == "You are welcome!"
    assert users_texts(client, **names[0]) == ["Hello", "/echo"]
    assert users_texts(client, **names[1]) == ["Thanks", "/echo"]


def test_the_chat_that_was_named_last_is_meant_from_then_on(chat: Chat, clients: Clients) -> None:
    client: Bare = clients.add(Bare(chat))
    client.send({**envelope_text("Hello"), "id": new_name("chat")})
    assert users_texts(client) == ["Hello", "/echo"]


def test_without_a_name_each_connection_is_a_new_chat(chat: Chat, clients: Clients) -> None:
    first, second = clients.add(Bare(chat)), clients.add(Bare(chat))
    first.say("Hello")
    assert users_texts(first) == ["Hello", "/echo"]
    assert users_texts(second) == ["/echo"]


def test_the_style_is_adk_tool_unless_the_address_says_native(chat: Chat, clients: Clients) -> None:
    usual: Bare = clients.add(Bare(chat))
    asked = usual.say("Send $50 to Hanako")
    assert asked.of("tool-approval-request") == []
    original, dialog = asked.of("tool-input-available")
    assert dialog["toolName"] == "adk_request_confirmation"
    assert dialog["toolCallId"].startswith("adk-")
    assert dialog["input"]["originalFunctionCall"]["id"] == original["toolCallId"]
    assert dialog["input"]["toolConfirmation"]["confirmed"] is False
    native: Bare = clients.add(Bare(chat, approvals="native"))
    asked = native.say("Send $50 to Hanako")
    assert [one["toolName"] for one in asked.of("tool-input-available")] == ["process_payment"]
    assert len(asked.of("tool-approval-request")) == 1


def test_text_before_an_approval_comes_with_the_final_answer(chat: Chat, clients: Clients) -> None:
    client: Bare = clients.add(Bare(chat))
    asked = client.say('/say 2\n/call process_payment {"amount": 50, "recipient": "Hanako"}')
    assert asked.of("text-start") == []
    done = client.answer(asked, yes(asked.asking()))
    assert done.text == f"1 2 {PAID}"
    outputs = [i for i, type in enumerate(done.types) if type == "tool-output-available"]
    assert max(outputs) < done.types.index("text-start")


def test_turns_that_follow_each_other_at_once_are_not_mixed(demo: DemoServer) -> None:
    """Nothing but the order tells their chunks apart. Three chats, answered on one socket."""
    with Clients() as clients:
        client: Bare = clients.add(Bare(Chat.new(Elsewhere(demo), "native")))
        names = [new_name("chat") for _ in range(3)]
        for name in names:
            client.post({**envelope_text("/say 200"), "id": name})
        numbers = "".join(f"{n} " for n in range(1, 201))
        assert [client.read().text for _ in names] == [numbers] * 3


def test_what_is_sent_is_the_text_of_an_event_stream(chat: Chat) -> None:
    with open_socket(chat) as socket:
        socket.send(
            '{"type":"message","version":"1.0","data":{"message":{"role":"user",'
            '"content":"Hello"}}}'
        )
        messages: list[str | bytes] = []
        while not messages or messages[-1] != "data: [DONE]\n\n":
            messages.append(socket.recv(SECONDS))
    texts = [message for message in messages if isinstance(message, str)]
    assert len(texts) == len(messages)
    assert all(text.startswith("data: ") and text.endswith("\n\n") for text in texts)
    assert texts[0].startswith('data: {"type":"start","messageId":"')


def open_socket(chat: Chat) -> ClientConnection:
    return connect(
        f"ws://{chat.server.address}/live",
        additional_headers=chat.server.cookie(chat.user),
        open_timeout=SECONDS,
    )


@pytest.mark.parametrize("more", [{}, {"timestamp": 1700000000000}, {"data": {"n": [1]}}])
def test_a_ping_is_answered_with_what_it_brought(chat: Chat, clients: Clients, more: Json) -> None:
    client: Bare = clients.add(Bare(chat))
    client.post({**envelope("ping"), **more})
    assert json.loads(client.receive()) == {**envelope("pong"), **more}
    assert client.say("Hello").text == GREETING


def test_an_interrupt_where_nothing_runs_is_ignored(chat: Chat, clients: Clients) -> None:
    client: Bare = clients.add(Bare(chat, chatId=chat.id))
    client.interrupt()
    assert client.say("Hello").text == GREETING
    client.interrupt()
    assert client.say("Hello").text == GREETING


def test_a_resume_of_nothing_is_an_empty_turn(chat: Chat, clients: Clients) -> None:
    client: Bare = clients.add(Bare(chat, chatId=chat.id))
    assert client.send(envelope("resume")) == Reply()
    assert client.say("Hello").text == GREETING


def test_a_running_turn_is_read_from_its_first_chunk_by_who_comes_back(
    chat: Chat, clients: Clients
) -> None:
    first: Bare = clients.add(Bare(chat, chatId=chat.id, approvals="native"))
    first.post(envelope_text(held(chat.id)))
    while '"delta":"3 "' not in first.receive():
        pass
    first.close()
    second: Bare = clients.add(Bare(chat, chatId=chat.id, approvals="native"))
    second.post(envelope("resume"))
    start = second.receive()
    chat.release()
    whole = second.read()
    assert '"type":"start"' in start and (whole.text, whole.types[-1]) == (WHOLE, "finish")


def test_the_newest_socket_has_the_chat(chat: Chat, clients: Clients) -> None:
    first: Bare = clients.add(Bare(chat, chatId=chat.id))
    asked = first.say("Send $50 to Hanako")
    second: Bare = clients.add(Bare(chat, chatId=chat.id))
    done = second.send(envelope_answers("m", (yes(asked.asking()),)))
    assert done.text == PAID
    with pytest.raises(ConnectionClosedError) as closed:
        first.receive()
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (
        4001,
        "this chat was opened elsewhere",
    )
