"""Every list and every string that a client sends has a bound, and the path is named."""

import json
from typing import Any

import pytest

from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.protocol.frames import Envelopes, Ping, SdkFrames, dialect_of, parse_frame
from adk_stream_protocol.protocol.messages import parse_request

LIMITS = Limits(
    values=400,
    keys=8,
    messages=3,
    parts=4,
    answers=2,
    text=10,
    name=6,
    request_id=4,
    files=1,
    echo=9,
)
LONG = "n" * 7
TEXT = {"type": "text", "text": "hi"}
FILE = {"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,aGk="}


def said(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "parts": list(parts)}], **fields}


def answered(**fields: Any) -> dict[str, Any]:
    part = {"type": "tool-x", "state": "output-available", "toolCallId": "c", **fields}
    return {"messages": [{"id": "m", "role": "assistant", "parts": [part]}]}


def results(*ids: str) -> dict[str, Any]:
    return {"toolResults": [{"id": id, "result": 1} for id in ids]}


def decode(body: Any) -> object:
    return decode_turn(parse_request(json.dumps(body).encode(), LIMITS), LIMITS)


@pytest.mark.parametrize(
    "body",
    [
        said(TEXT, TEXT, TEXT, TEXT),
        said({"type": "text", "text": "t" * 10}),
        said(FILE, TEXT),
        answered(toolCallId="c" * 6),
        results("a", "b"),
        said(TEXT, messageId="m" * 6),
    ],
)
def test_what_is_just_within_the_bounds_is_taken(body: Any) -> None:
    assert decode(body)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (said(*[TEXT] * 5), "$.messages[0].parts: at most 4"),
        ({"messages": [{"role": "user", "content": "x"}] * 4}, "$.messages: at most 3"),
        (said({"type": "text", "text": "t" * 11}), "$.messages[0].parts[0].text: at most 10"),
        (said(FILE, FILE), "$.messages[0].parts[1]: at most 1 files"),
        (said(TEXT, id=LONG), "$.id: at most 6"),
        (said(TEXT, chatId=LONG), "$.chatId: at most 6"),
        (said(TEXT, messageId=LONG), "$.messageId: at most 6"),
        (said(TEXT, trigger=LONG), "$.trigger: at most 6"),
        ({"toolCallId": LONG, "result": 1}, "$.toolCallId: at most 6"),
        (results("a", "b", "c"), "$.toolResults: at most 2"),
        (results(LONG), "$.toolResults[0].id: at most 6"),
        (answered(toolCallId=LONG), "$.messages[0].parts[0].toolCallId: at most 6"),
        (
            answered(approval={"id": LONG, "approved": True}),
            "$.messages[0].parts[0].approval.id: at most 6",
        ),
        ({"messages": [{"id": LONG, "role": "user", "content": "x"}]}, "$.messages[0].id: at most"),
        (said(TEXT, metadata={str(key): 0 for key in range(9)}), "$: not JSON: an object has more"),
        (said(TEXT, metadata=[0] * 500), "$: at most 400 values"),
        (said(TEXT, metadata=[","] * 500), "$: at most 400 values"),
        (said(TEXT, metadata=[{}] * 500), "$: at most 400 values"),
        (said(TEXT, metadata=["a"] * 900), "$: at most 400 values"),
    ],
)
def test_what_is_beyond_is_refused_with_its_path(body: Any, path: str) -> None:
    with pytest.raises(BadRequest) as caught:
        decode(body)
    assert caught.value.text.startswith(path)


@pytest.mark.parametrize("text", ['",[{' * 300, "\\" * 800, '\\"' * 400])
def test_commas_and_brackets_in_a_text_are_no_values(text: str) -> None:
    body = {"messages": [], "note": text}
    assert parse_request(json.dumps(body).encode(), LIMITS)


def test_a_request_id_is_bounded_before_it_is_repeated() -> None:
    frame = {"type": "resume", "requestId": "r" * 5, "id": "c"}
    dialect = dialect_of(frame, LIMITS)
    assert isinstance(dialect, SdkFrames)
    with pytest.raises(BadRequest, match=r"\$.requestId: at most 4"):
        dialect.read(frame)


def test_a_ping_is_sent_back_up_to_a_size() -> None:
    dialect = Envelopes(Limits(echo=20))
    assert isinstance(dialect.read({"type": "ping", "data": "x" * 9}), Ping)
    with pytest.raises(BadRequest, match="are sent back"):
        dialect.read({"type": "ping", "data": "x" * 10})


def test_a_frame_has_the_bounds_of_a_body() -> None:
    with pytest.raises(BadRequest, match="at most 400 values"):
        parse_frame(b'{"type":"send","a":[' + b"0," * 500 + b"0]}", LIMITS)
