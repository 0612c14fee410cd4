"""A scenario in the AI SDK's frames: what is sent, and what an answer must look like."""

from typing import Any

import pytest

from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import SocketTurn
from adk_stream_protocol.recording.stand_in.play import Play
from tests.support.scripted_socket import ScriptedSocket

START, FINISH = {"type": "start"}, {"type": "finish"}


def chunk(content: Json, sequence: int, request: str = "r1") -> Json:
    return {"type": "chunk", "requestId": request, "sequence": sequence, "chunk": content}


def end(request: str = "r1") -> Json:
    return {"type": "end", "requestId": request}


def chat_of(*answers: Json | str) -> tuple[SocketChat, ScriptedSocket, Play]:
    socket, play = ScriptedSocket(*answers), Play(Names())
    return SocketChat(socket, play, "chat"), socket, play


async def test_a_message_and_the_chunks_of_its_turn() -> None:
    chat, socket, _ = chat_of(chunk(START, 0), chunk(FINISH, 1), end())
    assert await chat.play(SocketTurn({"messages": []})) == [START, FINISH]
    assert socket.sent == [{"type": "send", "requestId": "r1", "id": "chat", "messages": []}]


async def test_each_turn_has_a_request_of_its_own_and_names_are_filled_in() -> None:
    chat, socket, play = chat_of(end(), end("r2"))
    play.names.differences("<call-1>", "c9")
    await chat.play(SocketTurn({}))
    await chat.play(SocketTurn({"toolCallId": "<call-1>"}))
    assert [one["requestId"] for one in socket.sent] == ["r1", "r2"]
    assert socket.sent[1]["toolCallId"] == "c9"


async def test_frames_go_before_and_after_it_and_signals_first() -> None:
    chat, socket, play = chat_of(end())
    turn = SocketTurn({}, [{"type": "audio"}], ["go"], [{"type": "audio-end"}])
    await chat.play(turn)
    assert [one["type"] for one in socket.sent] == ["audio", "send", "audio-end"]
    assert all(one["id"] == "chat" for one in socket.sent)
    assert play.await_signal("go") is None


async def test_a_turn_of_the_servers_is_read_after_its_notice() -> None:
    notice = {"type": "turn", "requestId": "server", "id": "chat"}
    started = {"type": "start", "requestId": "r1"}
    chat, socket, play = chat_of(notice, started, chunk(START, 0), end())
    assert await chat.play(SocketTurn()) == [START]
    assert socket.sent == [{"type": "resume", "requestId": "r1", "id": "chat"}]
    assert play.await_signal("reading") is None and play.await_signal("reading-1") is None


async def test_a_turn_is_stopped_after_so_many_chunks() -> None:
    chat, socket, _ = chat_of(chunk(START, 0), chunk(FINISH, 1), end())
    await chat.play(SocketTurn({}, abort_after=1))
    assert [one["type"] for one in socket.sent] == ["send", "abort"]


@pytest.mark.parametrize(
    "answer",
    [
        chunk(START, 1),
        chunk(START, 0, "other"),
        {"type": "error", "requestId": "r1", "errorText": "No."},
        end("other"),
    ],
    ids=["out of order", "another request", "an error", "the end of another"],
)
async def test_another_answer_is_a_failure(answer: Json) -> None:
    chat, _, _ = chat_of(answer, end())
    with pytest.raises(AssertionError):
        await chat.play(SocketTurn({}))


@pytest.mark.parametrize("notice", [{"type": "turn", "id": "other"}, end()])
async def test_a_notice_of_another_turn_is_a_failure(notice: Json) -> None:
    chat, _, _ = chat_of(notice)
    with pytest.raises(AssertionError):
        await chat.play(SocketTurn())


async def test_a_refusal_is_compared() -> None:
    def refused(text: str) -> Any:
        return {"type": "error", "requestId": "r1", "errorText": text}

    turn = SocketTurn({}, refusal="Busy. (reference <reference-1>)")
    chat, _, play = chat_of(refused("Busy. (reference 12345678)"))
    assert await chat.play(turn) == []
    assert play.names.fill("<reference-1>") == "12345678"
    chat, _, _ = chat_of(refused("Gone."))
    with pytest.raises(AssertionError, match="answer.errorText"):
        await chat.play(turn)
