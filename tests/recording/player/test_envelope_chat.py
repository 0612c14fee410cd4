"""A scenario in the older envelopes: what is sent, and the text of an event stream that answers."""

import pytest

from adk_stream_protocol.recording.player.envelope_chat import EnvelopeChat
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import SocketTurn
from adk_stream_protocol.recording.stand_in.play import Play
from tests.support.scripted_socket import ScriptedSocket

START, FINISH = 'data: {"type":"start"}\n\n', 'data: {"type":"finish"}\n\n'
DONE = "data: [DONE]\n\n"
MESSAGE = {"type": "message", "version": "1.0", "data": {"messages": []}}


def chat_of(*answers: Json | str) -> tuple[EnvelopeChat, ScriptedSocket, Play]:
    socket, play = ScriptedSocket(*answers), Play(Names())
    return EnvelopeChat(socket, play), socket, play


async def test_an_envelope_and_the_chunks_of_its_turn() -> None:
    chat, socket, play = chat_of(START, FINISH, DONE)
    play.names.differences("<call-1>", "c9")
    turn = SocketTurn({"type": "tool_result", "toolCallId": "<call-1>"})
    assert await chat.play(turn) == [{"type": "start"}, {"type": "finish"}]
    assert socket.sent == [{"type": "tool_result", "toolCallId": "c9"}]


async def test_frames_go_before_and_after_it_and_signals_first() -> None:
    chat, socket, play = chat_of(DONE)
    await chat.play(SocketTurn(MESSAGE, [{"type": "audio"}], ["go"], [{"type": "audio-end"}]))
    assert socket.sent == [{"type": "audio"}, MESSAGE, {"type": "audio-end"}]
    assert play.await_signal("go") is None


async def test_a_turn_of_the_servers_is_read_like_any_other() -> None:
    chat, socket, play = chat_of(DONE, START, DONE)
    await chat.play(SocketTurn(MESSAGE))
    assert await chat.play(SocketTurn()) == [{"type": "start"}]
    assert len(socket.sent) == 1
    assert play.await_signal("reading") is None and play.await_signal("reading-2") is None


async def test_a_turn_is_stopped_after_so_many_chunks() -> None:
    chat, socket, _ = chat_of(START, FINISH, DONE)
    await chat.play(SocketTurn(MESSAGE, abort_after=1))
    assert socket.sent[1:] == [{"type": "interrupt", "version": "1.0"}]


@pytest.mark.parametrize("answer", ['{"type":"start"}', "data: {}", "event: x\n\n"])
async def test_what_is_no_event_is_a_failure(answer: str) -> None:
    chat, _, _ = chat_of(answer)
    with pytest.raises(AssertionError):
        await chat.play(SocketTurn(MESSAGE))
