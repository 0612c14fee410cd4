"""Chunks as server-sent events. The end marker lives here: it is no chunk."""

from base64 import b64encode
from typing import Any

import msgspec
from pydantic_core import to_jsonable_python

from adk_stream_protocol.protocol.chunks import AnyChunk

SSE_DONE = b"data: [DONE]\n\n"
SSE_KEEP_ALIVE = b": keep-alive\n\n"
SSE_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}


_MAX_DEPTH = 64


def _jsonable(value: object) -> Any:
    """What a tool returned may be anything; a stream must not die of it."""
    return to_jsonable_python(value, fallback=_name, inf_nan_mode="null", bytes_mode="base64")


def _name(value: object) -> str:
    return f"<{type(value).__name__}>"


_encoder = msgspec.json.Encoder(enc_hook=_jsonable)
_encode, _encode_lines = _encoder.encode, _encoder.encode_lines


def encode_value(value: Any) -> str:
    """Compact JSON of plain values of our own."""
    return _encode(value).decode()


def encode_json(chunk: AnyChunk) -> bytes:
    """Compact strict JSON that the SDK's parser takes."""
    try:
        wire = _encode(chunk)
    except (TypeError, ValueError, RecursionError):
        return _encode(_sane(chunk))
    return _encode(_sane(chunk)) if _suspicious(wire) else wire


def _suspicious(wire: bytes) -> bool:
    # The SDK parses with a guard against prototype pollution that fails the whole stream.
    # `find`, since `in` first takes the bytes for a number and fails.
    return wire.find(b'"__proto__"') >= 0 or wire.find(b'"constructor"') >= 0


def _sane(chunk: AnyChunk) -> AnyChunk:
    fields = {name: _plain(getattr(chunk, name)) for name in chunk.__struct_fields__}
    return msgspec.structs.replace(chunk, **fields)


def _plain(value: Any, inside: frozenset[int] = frozenset()) -> Any:
    """A copy with nothing in it that a browser's strict JSON reader refuses."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case bytes() | bytearray() | memoryview():
            return b64encode(value).decode("ascii")
        case _ if id(value) in inside or len(inside) > _MAX_DEPTH:
            return _name(value)
        case _:
            return _plain_items(value, inside | {id(value)})


def _plain_items(value: Any, inside: frozenset[int]) -> Any:
    match value:
        case dict():
            pairs = [(_plain(str(key)), _plain(item, inside)) for key, item in value.items()]
            return {key: item for key, item in pairs if not _polluting(key, item)}
        case list() | tuple() | set() | frozenset():
            return [_plain(item, inside) for item in value]
        case _:
            try:
                return _plain(_jsonable(value), inside)
            except (ValueError, RecursionError):
                return _name(value)


def _polluting(key: str, value: object) -> bool:
    return key == "__proto__" or (
        key == "constructor" and isinstance(value, dict) and "prototype" in value
    )


def encode_sse(chunk: AnyChunk) -> bytes:
    """One event of the stream."""
    return b"data: %b\n\n" % encode_json(chunk)


def encode_batch(chunks: list[AnyChunk]) -> bytes:
    """Several events in one piece, for one write."""
    lines = _lines(chunks)
    return b"data: " + lines.replace(b"\n", b"\n\ndata: ", len(chunks) - 1) + b"\n"


def encode_each(chunks: list[AnyChunk]) -> list[str]:
    """Compact strict JSON of each."""
    # No `splitlines`: text has line breaks that are none in JSON.
    return _lines(chunks).decode().split("\n")[:-1]


def _lines(chunks: list[AnyChunk]) -> bytes:
    """A line of JSON for each, which has no line breaks of its own."""
    try:
        lines = _encode_lines(chunks)
        is_sane = not _suspicious(lines)
    except (TypeError, ValueError, RecursionError):
        lines, is_sane = b"", False
    return lines if is_sane else b"".join(b"%b\n" % encode_json(chunk) for chunk in chunks)
