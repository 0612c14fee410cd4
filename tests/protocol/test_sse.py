"""Chunks as the bytes of an event stream."""

from typing import Any

import pytest

from adk_stream_protocol.protocol import chunks, sse
from adk_stream_protocol.protocol.chunks import AnyChunk


@pytest.mark.parametrize(
    ("chunk", "wire"),
    [
        (chunks.Start(), b'{"type":"start"}'),
        (chunks.Start(message_id="m"), b'{"type":"start","messageId":"m"}'),
        (chunks.StartStep(), b'{"type":"start-step"}'),
        (chunks.FinishStep(), b'{"type":"finish-step"}'),
        (chunks.Finish(), b'{"type":"finish"}'),
        (
            chunks.Finish(finish_reason="stop", message_metadata={}),
            b'{"type":"finish","finishReason":"stop","messageMetadata":{}}',
        ),
        (chunks.Error(error_text="no"), b'{"type":"error","errorText":"no"}'),
        (chunks.TextStart(id="0"), b'{"type":"text-start","id":"0"}'),
        (chunks.TextDelta(id="0", delta="a\nb"), b'{"type":"text-delta","id":"0","delta":"a\\nb"}'),
        (chunks.TextEnd(id="0"), b'{"type":"text-end","id":"0"}'),
        (chunks.ReasoningStart(id="0"), b'{"type":"reasoning-start","id":"0"}'),
        (
            chunks.ReasoningDelta(id="0", delta=""),
            b'{"type":"reasoning-delta","id":"0","delta":""}',
        ),
        (chunks.ReasoningEnd(id="0"), b'{"type":"reasoning-end","id":"0"}'),
        (
            chunks.ToolInputStart(tool_call_id="c", tool_name="t"),
            b'{"type":"tool-input-start","toolCallId":"c","toolName":"t"}',
        ),
        (
            chunks.ToolInputDelta(tool_call_id="c", input_text_delta="{"),
            b'{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{"}',
        ),
        (
            chunks.ToolApprovalRequest(approval_id="a", tool_call_id="c"),
            b'{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}',
        ),
        (
            chunks.ToolOutputError(tool_call_id="c", error_text="no", provider_executed=True),
            b'{"type":"tool-output-error","toolCallId":"c","errorText":"no",'
            b'"providerExecuted":true}',
        ),
        (
            chunks.ToolOutputDenied(tool_call_id="c"),
            b'{"type":"tool-output-denied","toolCallId":"c"}',
        ),
        (
            chunks.SourceUrl(source_id="s", url="https://a.b"),
            b'{"type":"source-url","sourceId":"s","url":"https://a.b"}',
        ),
        (
            chunks.SourceDocument(source_id="s", media_type="text/plain", title="T"),
            b'{"type":"source-document","sourceId":"s","mediaType":"text/plain","title":"T"}',
        ),
        (
            chunks.File(url="data:,", media_type="text/plain"),
            b'{"type":"file","url":"data:,","mediaType":"text/plain"}',
        ),
        (
            chunks.Data(type="data-x", data=1, id="i", transient=True),
            b'{"type":"data-x","data":1,"id":"i","transient":true}',
        ),
    ],
)
def test_a_chunk_is_compact_json_without_unset_fields(chunk: AnyChunk, wire: bytes) -> None:
    assert sse.encode_json(chunk) == wire


@pytest.mark.parametrize(
    ("chunk", "wire"),
    [
        (
            chunks.ToolInputAvailable(tool_call_id="c", tool_name="t", input=None),
            b'{"type":"tool-input-available","toolCallId":"c","toolName":"t","input":null}',
        ),
        (
            chunks.ToolOutputAvailable(tool_call_id="c", output=None),
            b'{"type":"tool-output-available","toolCallId":"c","output":null}',
        ),
        (chunks.Data(type="data-x", data=None), b'{"type":"data-x","data":null}'),
    ],
)
def test_a_required_free_form_field_is_written_as_null(chunk: AnyChunk, wire: bytes) -> None:
    assert sse.encode_json(chunk) == wire


@pytest.mark.parametrize(
    ("data", "wire"),
    [
        (float("nan"), b"null"),
        ([float("inf"), -float("inf")], b"[null,null]"),
        (10**30, b"1" + b"0" * 30),
        ("\ud800x", b'"?x"'),
        ({"\udfff": 1}, b'{"?":1}'),
        ({"__proto__": {"x": 1}, "a": 1}, b'{"a":1}'),
        ([{"b": {"__proto__": 1}}], b'[{"b":{}}]'),
        ({"constructor": {"prototype": 1}}, b"{}"),
        ({"constructor": {"x": 1}}, b'{"constructor":{"x":1}}'),
        ({"constructor": "Volvo"}, b'{"constructor":"Volvo"}'),
        ("__proto__", b'"__proto__"'),
        (
            ["constructor", ("__proto__", None, True, 1.5)],
            b'["constructor",["__proto__",null,true,1.5]]',
        ),
        ({(1, 2): frozenset({3})}, b'{"(1, 2)":[3]}'),
        (object(), b'"<object>"'),
        ([object(), "\ud800"], b'["<object>","?"]'),
        (b"\xff", b'"/w=="'),
    ],
)
def test_what_a_browser_refuses_is_replaced_or_left_out(data: Any, wire: bytes) -> None:
    encoded = sse.encode_json(chunks.Data(type="data-x", data=data))
    assert encoded == b'{"type":"data-x","data":' + wire + b"}"


def test_other_fields_keep_their_values_when_one_is_replaced() -> None:
    chunk = chunks.ToolOutputAvailable(tool_call_id="c\ud800", output=1, provider_executed=True)
    assert sse.encode_json(chunk) == (
        b'{"type":"tool-output-available","toolCallId":"c?","output":1,"providerExecuted":true}'
    )


def test_an_event_is_one_line_and_a_blank_one() -> None:
    chunk = chunks.TextDelta(id="0", delta="a\r\nb")
    assert sse.encode_sse(chunk) == b'data: {"type":"text-delta","id":"0","delta":"a\\r\\nb"}\n\n'


ODD = chunks.ToolOutputAvailable(tool_call_id="c", output={"a": "\ud800"})
POLLUTED = chunks.ToolOutputAvailable(tool_call_id="c", output={"__proto__": 1})
PLAIN = chunks.TextDelta(id="0", delta="a")


@pytest.mark.parametrize("batch", [[PLAIN], [PLAIN, PLAIN], [PLAIN, ODD], [POLLUTED, PLAIN]])
def test_a_batch_is_its_events_in_a_row(batch: list[AnyChunk]) -> None:
    assert sse.encode_batch(batch) == b"".join(sse.encode_sse(chunk) for chunk in batch)


def test_markers_and_headers_are_those_of_the_sdk() -> None:
    assert sse.SSE_DONE == b"data: [DONE]\n\n"
    assert sse.SSE_KEEP_ALIVE.startswith(b":") and sse.SSE_KEEP_ALIVE.endswith(b"\n\n")
    assert sse.SSE_HEADERS["x-vercel-ai-ui-message-stream"] == "v1"
    assert sse.SSE_HEADERS["content-type"] == "text/event-stream; charset=utf-8"
