"""ChatId: one key, equal wherever it is made."""

from adk_stream_protocol.chat_id import ChatId


def test_a_chat_has_one_key() -> None:
    assert ChatId("shop", "alice", "c") == ("shop", "alice", "c")
    assert len({ChatId("shop", "alice", "c"), ChatId("shop", "bob", "c")}) == 2
