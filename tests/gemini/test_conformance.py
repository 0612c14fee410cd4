"""The chunks of all scenarios before the SDKs: their schemas, and the readers of both majors."""

from collections.abc import Iterator

import pytest

from adk_stream_protocol.recording.scenario.matching import Json
from tests.support.gemini.files import WireFile, files
from tests.support.sdk.judge import Judge

FILES = [*files("http"), *files("socket"), *files("envelope"), *files("mixed")]
IDS = [f"{file.path.parent.name}-{file.name}" for file in FILES]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


def messages(turns: list[Json]) -> Iterator[list[list[Json]]]:
    """The replies that make up each message of a chat."""
    replies: list[list[Json]] = []
    for turn in turns:
        chunks: list[Json] = turn.get("chunks", [])
        if not chunks:  # refused
            continue
        message_id = chunks[0].get("messageId")
        if replies and message_id not in (None, replies[0][0]["messageId"]):
            yield replies
            replies = []
        replies.append(chunks)
    yield replies


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_the_judges_accept_a_scenario(judge: Judge, file: WireFile) -> None:
    for replies in messages(file.content()["turns"]):
        verdict = judge.ask(do="judge", replies=replies)
        assert verdict["faults"] == []
        six, seven = (message and message["parts"] for message in verdict["messages"].values())
        assert six == seven
