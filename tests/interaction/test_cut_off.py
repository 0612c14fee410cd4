"""A turn or a run that is cut off in the middle of a write leaves the store as it should be."""

import pytest

from tests.support.ways.bodies import sdk_text, yes
from tests.support.ways.clients import Chat, Clients, Http
from tests.support.ways.reply import Reply
from tests.support.ways.server import Server
from tests.support.ways.sockets import SdkSocket

HELLO = "Hello! What can I do for you?"
ROUNDS = range(8)


@pytest.mark.parametrize("round", ROUNDS)
def test_a_switch_right_after_a_live_turn(round: int, parallel: Server, clients: Clients) -> None:
    """The run is ended while ADK still stores what ended the turn."""
    chat = Chat.new(parallel)
    socket: SdkSocket = clients.add(SdkSocket(chat))
    http: Http = clients.add(Http(chat))
    asked = socket.say("Send $50 to Hanako")
    assert socket.say("Hello").text == HELLO
    assert http.say("Hello").text == HELLO
    assert http.answer(asked, yes(asked.asking())) == Reply(refused="conflict")
    assert chat.paid() == []


@pytest.mark.parametrize("round", ROUNDS)
def test_a_stop_at_the_first_word(round: int, sequential: Server, clients: Clients) -> None:
    chat = Chat.new(sequential)
    socket: SdkSocket = clients.add(SdkSocket(chat))
    http: Http = clients.add(Http(chat))
    request = socket.start(sdk_text("/say 50\n/hang 30"))
    socket.read_until(request, "text-start")
    http.post(f"/api/chat/{chat.id}/stop", {})
    assert socket.read_rest(request).chunks[-1]["finishReason"] == "other"
    assert http.say("Hello").text == HELLO
    assert socket.say("Hello").text == HELLO
