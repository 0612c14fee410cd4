"""Chunks as they travel, back to the objects they were."""

from typing import Any

import msgspec

from adk_stream_protocol.protocol import chunks
from adk_stream_protocol.protocol._model import Chunk
from adk_stream_protocol.protocol.chunks import AnyChunk, Data

_KINDS: dict[str, type[Chunk]] = {
    str(kind.__struct_config__.tag): kind
    for kind in vars(chunks).values()
    if isinstance(kind, type) and issubclass(kind, Chunk) and kind is not Chunk
}


def from_wire(value: dict[str, Any]) -> AnyChunk:
    """One chunk; a type that we do not send fails."""
    is_data = value["type"].startswith("data-")
    return msgspec.convert(value, Data if is_data else _KINDS[value["type"]])
