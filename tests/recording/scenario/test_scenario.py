"""The data files: what is written is what was given, and what is no chat is refused."""

from pathlib import Path

import msgspec
import pytest

from adk_stream_protocol.recording.scenario.scenario import (
    Exchange,
    Scenario,
    SocketScenario,
    SocketTurn,
    Step,
    Turn,
    is_sound,
    load,
    load_chats,
    read,
    save,
    speaks_envelopes,
    write,
)

HTTP = Scenario("Words.", "gemini", [Turn({"messages": []}, [Exchange({}, frames=[])])])


def socket(model: str, *turns: SocketTurn) -> SocketScenario:
    return SocketScenario("Words.", model, [[Step(send={"n": 1})]], list(turns))


def test_defaults_are_not_written(tmp_path: Path) -> None:
    save(tmp_path / "chat.json", HTTP)
    assert read(tmp_path / "chat.json") == {
        "": {
            "about": "Words.",
            "model": "gemini",
            "turns": [{"client": {"messages": []}, "model": [{"request": {}, "frames": []}]}],
        }
    }
    assert load(tmp_path / "chat.json", Scenario) == HTTP


def test_the_file_says_which_kind_of_chat_it_holds(tmp_path: Path) -> None:
    save(tmp_path / "http.json", HTTP)
    save(tmp_path / "socket.json", socket("gemini"))
    assert load_chats(tmp_path / "http.json") == {"": HTTP}
    assert load_chats(tmp_path / "socket.json") == {"": socket("gemini")}


def test_two_families_share_a_file(tmp_path: Path) -> None:
    chats = {"2.5": socket("two", SocketTurn({"a": 1})), "3.1": socket("three", SocketTurn())}
    write(tmp_path / "chat.json", chats)
    assert load_chats(tmp_path / "chat.json") == chats
    assert load(tmp_path / "chat.json", SocketScenario, "3.1") == chats["3.1"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('{"user": []}', ValueError),
        ("{}", msgspec.ValidationError),
        ('{"about": "", "model": "", "turns": [], "unknown": 1}', msgspec.ValidationError),
    ],
)
def test_what_is_no_chat_is_refused(content: str, error: type[Exception], tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(content, encoding="utf-8")
    with pytest.raises(error):
        load_chats(tmp_path / "chat.json")


def test_the_dialect_follows_from_what_the_client_sends() -> None:
    assert not speaks_envelopes(socket("m", SocketTurn({"messages": []})))
    assert speaks_envelopes(socket("m", SocketTurn({"type": "message"})))
    assert speaks_envelopes(socket("m", SocketTurn(frames=[{"type": "audio"}])))


def test_pieces_of_the_users_voice() -> None:
    assert is_sound({"realtime_input": {"audio": {}}})
    assert is_sound({"realtime_input": {"audioStreamEnd": True}})
    assert not is_sound({"realtime_input": {"text": "Hi"}})
    assert not is_sound({"setup": {}})
