"""Messages between workers: what one writes, another reads as the same."""

from typing import get_args

import msgspec
import pytest

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.errors import Busy, Relayed
from adk_stream_protocol.workers.messages import (
    Activity,
    AskActivity,
    Continue,
    Done,
    End,
    GiveAnswers,
    Leave,
    Message,
    Opened,
    Posted,
    Refused,
    Replied,
    Reply,
    SignOut,
    Stop,
    Wake,
)

CHAT = ChatId("shop", "alice", "c")
WHO = Principal("alice", frozenset({"manager"}))
ANSWER = Answer(("c1",), "$.messages[0]", approved=True, value={"city": "Kyoto"})
MESSAGES: list[Message] = [
    Stop(CHAT),
    End(CHAT),
    Leave(CHAT, True),
    Continue(CHAT),
    AskActivity(CHAT),
    GiveAnswers(CHAT, WHO, (ANSWER,), "m1", "native"),
    Wake(CHAT, "a1"),
    SignOut("alice"),
]
REPLIES: list[Reply] = [
    Done(True),
    Activity(None),
    Activity(""),
    Opened("log"),
    Refused(409, "busy", "Wait."),
]


def test_every_kind_is_tried() -> None:
    assert {type(message) for message in MESSAGES} == set(get_args(Message))
    assert {type(reply) for reply in REPLIES} == set(get_args(Reply))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_arrives_as_it_was_sent(message: Message) -> None:
    sent = Posted("one", message, "7")
    assert msgspec.json.decode(msgspec.json.encode(sent), type=Posted) == sent


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_a_reply_arrives_as_it_was_sent(reply: Reply) -> None:
    sent = Replied("one", reply, "7")
    assert msgspec.json.decode(msgspec.json.encode(sent), type=Replied) == sent


def test_an_error_is_raised_elsewhere_as_it_was_here() -> None:
    refused = Refused.of(Busy("A turn is already running in this chat."))
    relayed = Relayed(refused.status, refused.code, refused.text)
    assert (relayed.status, relayed.code, relayed.text) == (409, Busy.code, refused.text)
