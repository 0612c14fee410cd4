"""The frames of a socket: what each asks for, what is refused, and how a turn is sent back."""

from base64 import b64encode
from typing import Any

import msgspec
import pytest

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol.chunks import AnyChunk, Start, TextDelta
from adk_stream_protocol.protocol.frames import (
    Abort,
    Command,
    EnvelopeReply,
    Envelopes,
    Ping,
    Reply,
    Resume,
    SdkFrames,
    SdkReply,
    Send,
    Speech,
    dialect_of,
    parse_frame,
    request_id_of,
)
from adk_stream_protocol.protocol.messages import ChatRequest, ToolResult, UIMessage

HELLO = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
MESSAGE = UIMessage(id="u1", role="user", parts=[{"type": "text", "text": "hi"}])
DONE = "data: [DONE]\n\n"
PCM = b"\x00\x01\x02\x03"
AUDIO = b64encode(PCM).decode()
CHUNKS: list[AnyChunk] = [Start(message_id="m"), TextDelta(id="0", delta="a")]


def envelope(type: str, **fields: Any) -> dict[str, Any]:
    return {"type": type, "version": "1.0", **fields}


@pytest.mark.parametrize(
    ("frame", "command"),
    [
        (
            {"type": "send", "requestId": "r", "id": "c", "messages": [HELLO], "headers": {}},
            Send("r", ChatRequest(id="c", messages=[MESSAGE])),
        ),
        (
            {"type": "send", "requestId": "r", "messages": [], "messageId": "m"},
            Send("r", ChatRequest(message_id="m")),
        ),
        ({"type": "resume", "requestId": "r", "id": "c"}, Resume("r", "c")),
        ({"type": "resume", "requestId": "r", "id": None}, Resume("r", None)),
        ({"type": "abort", "requestId": "r"}, Abort("r", None)),
        ({"type": "audio", "requestId": "r", "id": "c", "audio": AUDIO}, Speech("c", PCM)),
        ({"type": "audio-end", "requestId": "r", "id": "c"}, Speech("c", None)),
    ],
)
def test_what_a_frame_of_the_sdk_asks_for(frame: dict[str, Any], command: Command) -> None:
    assert SdkFrames().read(frame) == command


@pytest.mark.parametrize(
    ("frame", "command"),
    [
        (
            envelope("message", id="c", data={"messages": [HELLO]}),
            Send("", ChatRequest(id="c", messages=[MESSAGE])),
        ),
        ({"type": "message", "messages": [HELLO]}, Send("", ChatRequest(messages=[MESSAGE]))),
        (
            envelope("message", toolResults=[{"id": "c1", "result": 1}]),
            Send("", ChatRequest(tool_results=[ToolResult(id="c1", result=1)])),
        ),
        *(
            (
                envelope(kind, data={"toolCallId": "c1", "result": {"confirmed": True}}),
                Send("", ChatRequest(tool_call_id="c1", result={"confirmed": True})),
            )
            for kind in ("tool_result", "tool-result", "toolResult")
        ),
        (envelope("interrupt"), Abort("", None)),
        (envelope("stop", data={"id": "c"}), Abort("", "c")),
        (envelope("abort", chatId="c", id="other"), Abort("", "c")),
        (envelope("interrupt", id="outer", data={"id": "inner"}), Abort("", "inner")),
        (envelope("resume", data={"chatId": "c"}), Resume("", "c")),
        (envelope("resume", data="c"), Resume("", None)),
        (envelope("audio", data={"audio": AUDIO, "id": "c"}), Speech("c", PCM)),
        (envelope("audio", audio=""), Speech(None, b"")),
        (envelope("audio-end"), Speech(None, None)),
        (envelope("ping"), Ping(envelope("pong"))),
        (
            envelope("ping", timestamp=7, data={"n": 1}, more="no"),
            Ping(envelope("pong", timestamp=7, data={"n": 1})),
        ),
    ],
)
def test_what_an_envelope_asks_for(frame: dict[str, Any], command: Command) -> None:
    assert Envelopes().read(frame) == command


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        ({"type": "send", "messages": []}, "$.requestId: missing"),
        ({"type": "send", "requestId": "", "messages": []}, "$.requestId: missing"),
        ({"type": "send", "requestId": 7, "messages": []}, "$.requestId: a string is expected"),
        ({"type": "send", "requestId": "r", "id": 7}, "$.id: a string is expected"),
        ({"type": "send", "requestId": "r", "messages": 7}, "$.messages: Expected `array`"),
        ({"type": "resume", "requestId": "r", "id": []}, "$.id: a string is expected"),
        ({"type": "resume", "requestId": "r" * 129, "id": "c"}, "$.requestId: at most 128"),
        ({"type": "audio", "requestId": "r", "id": "c"}, "$.audio: base64 is expected"),
        ({"type": "audio", "requestId": "r", "audio": "&"}, "$.audio: base64 is expected"),
        ({"type": "audio", "requestId": "r", "audio": "é"}, "$.audio: base64 is expected"),
    ],
)
def test_a_faulty_frame_of_the_sdk_is_refused(frame: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadRequest) as refused:
        SdkFrames().read(frame)
    assert fault in refused.value.text


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        ({"type": "message", "version": "2.0"}, "$.version: 1.0 is expected"),
        ({"type": "message", "version": 1.0}, "$.version: 1.0 is expected"),
        ({"type": "ping", "version": None}, "$.version: 1.0 is expected"),
        (envelope("interrupt", data={"chatId": 7}), "$.chatId: a string is expected"),
        (envelope("message", messages={}), "$.messages: Expected `array`"),
        (envelope("audio", data={"audio": [1]}), "$.data.audio: base64 is expected"),
        (envelope("audio", data={"audio": "AAA"}), "$.data.audio: base64 is expected"),
        (envelope("audio"), "$.data.audio: base64 is expected"),
    ],
)
def test_a_faulty_envelope_is_refused(frame: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Envelopes().read(frame)
    assert fault in refused.value.text


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "$: an object is expected"),
        (b'"send"', "$: an object is expected"),
        (b"{}", "$.type: missing"),
        (b'{"type":7}', "$.type: missing"),
        (b'{"type":"ping","type":"send"}', "duplicate key 'type'"),
        (b'{"type":"ping","x":NaN}', "NaN is not a JSON number"),
        (b'{"type":"ping","x":1e999}', "the number is out of range"),
        (b'{"type":"ping","x":' + b"[" * 40 + b"]" * 40 + b"}", "nested deeper than 32"),
    ],
)
def test_what_is_no_frame_is_refused(raw: bytes, fault: str) -> None:
    with pytest.raises(BadRequest) as refused:
        parse_frame(raw)
    assert fault in refused.value.text


def test_a_frame_is_parsed() -> None:
    assert parse_frame(b'{"type":"ping","version":"1.0"}') == envelope("ping")


@pytest.mark.parametrize(
    ("frame", "request_id"),
    [
        ({"requestId": "r"}, "r"),
        ({"requestId": "r" * 129}, ""),
        ({"requestId": 7}, ""),
        ({"requestId": None}, ""),
        ({}, ""),
    ],
)
def test_a_faulty_frame_is_answered_under_its_own_id(
    frame: dict[str, Any], request_id: str
) -> None:
    assert request_id_of(frame) == request_id


@pytest.mark.parametrize(
    ("frame", "dialect"),
    [
        *(({"type": kind, "requestId": "r"}, SdkFrames) for kind in sorted(SdkFrames.types)),
        *((envelope(kind), Envelopes) for kind in sorted(Envelopes.types)),
        (envelope("message", requestId="r"), Envelopes),
    ],
)
def test_the_first_frame_tells_the_dialect(frame: dict[str, Any], dialect: type) -> None:
    assert type(dialect_of(frame)) is dialect


@pytest.mark.parametrize("frame", [{"type": "send"}, {"type": "x" * 100, "requestId": "r"}])
def test_a_first_frame_of_neither_dialect_is_refused(frame: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        dialect_of(frame)
    assert refused.value.text == f"$.type: {frame['type'][:64]!r} is not a known type"


def test_the_sdk_gets_its_chunks_numbered_under_the_id_of_its_request() -> None:
    reply = SdkFrames().reply('a"b')
    first, second = (reply.chunks(CHUNKS), reply.chunks(CHUNKS[:1]))
    head = {"type": "chunk", "requestId": 'a"b'}
    start = {"type": "start", "messageId": "m"}
    assert [msgspec.json.decode(frame) for frame in (*first, *second)] == [
        {**head, "sequence": 0, "chunk": start},
        {**head, "sequence": 1, "chunk": {"type": "text-delta", "id": "0", "delta": "a"}},
        {**head, "sequence": 2, "chunk": start},
    ]
    assert reply.chunks([]) == []


@pytest.mark.parametrize("reply", [SdkReply("r"), EnvelopeReply()])
def test_text_may_have_whatever_some_take_for_the_end_of_a_line(
    reply: SdkReply | EnvelopeReply,
) -> None:
    text = "a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\r\nj\n"
    (frame, _) = reply.chunks([TextDelta(id="0", delta=text), TextDelta(id="0", delta="k")])
    read = msgspec.json.decode(frame.removeprefix("data: "))
    assert read.get("chunk", read)["delta"] == text


def test_the_other_frames_for_the_sdk() -> None:
    reply = SdkReply("r")
    frames = [reply.start(), reply.end(), reply.no_active(), *reply.error("no")]
    assert frames == [
        '{"type":"start","requestId":"r"}',
        '{"type":"end","requestId":"r"}',
        '{"type":"no-active","requestId":"r"}',
        '{"type":"error","requestId":"r","errorText":"no"}',
    ]


def test_envelopes_are_answered_with_the_text_of_an_event_stream() -> None:
    reply = Envelopes().reply("r")
    assert reply.chunks(CHUNKS) == [
        'data: {"type":"start","messageId":"m"}\n\n',
        'data: {"type":"text-delta","id":"0","delta":"a"}\n\n',
    ]
    assert (reply.start(), reply.end(), reply.no_active()) == (None, DONE, DONE)
    assert reply.error("no") == ['data: {"type":"error","errorText":"no"}\n\n', DONE]


def test_a_turn_of_the_servers_own_is_announced_to_the_sdk_only() -> None:
    assert SdkFrames().server_turn("c") == '{"type":"turn","requestId":"server","id":"c"}'
    assert Envelopes().server_turn("c") is None


def test_both_replies_are_one() -> None:
    replies: list[Reply] = [SdkReply("r"), EnvelopeReply()]
    assert [len(reply.chunks(CHUNKS)) for reply in replies] == [2, 2]
