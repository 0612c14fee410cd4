"""The chunks: each has its own type, and a free-form field is written even as null."""

from typing import get_args

import msgspec
import pytest

from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    ToolInputAvailable,
    ToolOutputAvailable,
)
from adk_stream_protocol.protocol.sse import encode_json

KINDS = get_args(AnyChunk)


def test_no_two_chunks_have_the_same_type() -> None:
    tags = [kind.__struct_config__.tag for kind in KINDS if kind is not Data]
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_chunk_is_documented(kind: type) -> None:
    assert kind.__doc__


def test_null_is_a_value_where_a_value_is_due() -> None:
    chunk = ToolOutputAvailable(tool_call_id="c", output=None)
    written = {"type": "tool-output-available", "toolCallId": "c", "output": None}
    assert msgspec.json.decode(encode_json(chunk)) == written


def test_a_flag_that_is_not_set_is_absent() -> None:
    chunk = ToolInputAvailable(tool_call_id="c", tool_name="pay", input={})
    assert b"providerExecuted" not in encode_json(chunk)
