"""Says where two lists of chunks differ, so that a person sees it at once."""

import json
import re
from typing import Any

from adk_stream_protocol.recording.matching import Json, Names

_PLACE = re.compile(r"chunks\[(\d+)\]")
_WIDTH = 300


def report(names: Names, expected: list[Json], actual: list[Json], turn: int) -> list[str]:
    """The first difference, with its chunk on both sides; nothing where there is none."""
    found = names.differences(expected, actual, f"turn {turn}: chunks")
    if not found:
        return []
    lines = [found[0]]
    if place := _PLACE.search(found[0]):
        index = int(place[1])
        lines += [f"  - {_chunk(expected, index)}", f"  + {_chunk(actual, index)}"]
    if more := len(found) - 1:
        lines.append(f"  and {more} more in this turn")
    return lines


def _chunk(chunks: list[Any], index: int) -> str:
    if index >= len(chunks):
        return "nothing"
    text = json.dumps(chunks[index], ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
