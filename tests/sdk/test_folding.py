"""What the server makes of a message's chunks is what the SDKs make of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.convert.history.message_builder import MessageFold
from tests.support.golden.wire_chunks import from_wire
from tests.support.sdk.judge import Judge

Json = dict[str, Any]
FILES = sorted((Path(__file__).parents[2] / "fixtures" / "turns").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_golden_turns_fold_as_the_sdks_read_them(judge: Judge, file: Path) -> None:
    turn: Json = json.loads(file.read_text(encoding="utf-8"))
    replies = [turn[name] for name in ("asked", "chunks") if name in turn]
    fold = MessageFold()
    for chunks in replies:
        fold.add(map(from_wire, chunks))
    message = fold.message()
    assert judge.ask(do="judge", replies=replies)["messages"] == {"ai6": message, "ai7": message}


ODD_CHUNKS: dict[str, list[Json]] = {
    "data": [
        {"type": "data-a", "data": 1, "id": "x"},
        {"type": "data-a", "data": {"b": None}, "id": "x"},
        {"type": "data-a", "data": 2},
        {"type": "data-a", "data": 3, "id": "y", "transient": True},
    ],
    "metadata": [
        {"type": "start", "messageMetadata": {"a": {"b": 1, "c": [1]}, "d": {"e": 1}}},
        {"type": "finish", "messageMetadata": {"a": {"b": 2, "c": [2]}, "d": None}},
    ],
    "open-text": [
        {"type": "text-start", "id": "0"},
        {"type": "text-delta", "id": "0", "delta": "a"},
    ],
    "twice-called": [
        {"type": "start-step"},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "a", "input": {}},
        {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "c"},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "a", "input": {"b": 1}},
        {"type": "tool-output-error", "toolCallId": "c", "errorText": "no"},
        {"type": "tool-output-available", "toolCallId": "c", "output": None},
        {"type": "start-step"},
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "a", "providerExecuted": True},
        {"type": "tool-output-denied", "toolCallId": "c"},
        {"type": "tool-output-error", "toolCallId": "c", "errorText": "no"},
    ],
}


@pytest.mark.parametrize("name", ODD_CHUNKS)
def test_odd_chunks_fold_as_the_sdks_read_them(judge: Judge, name: str) -> None:
    chunks = [{"type": "start", "messageId": "m1"}, *ODD_CHUNKS[name]]
    fold = MessageFold()
    fold.add(map(from_wire, chunks))
    message = fold.message()
    assert judge.ask(do="judge", replies=[chunks])["messages"] == {"ai6": message, "ai7": message}
