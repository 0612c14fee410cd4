"""Model responses to steps with text, reasoning, files and sources."""

from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    File,
    FinishStep,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    SourceUrl,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
)
from tests.support.events import encoded, event, finish, partial, said, step, text


def thought(part_id: str, *deltas: str) -> list[AnyChunk]:
    pieces = [ReasoningDelta(id=part_id, delta=delta) for delta in deltas]
    return [ReasoningStart(id=part_id), *pieces, ReasoningEnd(id=part_id)]


@pytest.mark.parametrize("message_id", ["m1", None])
def test_a_turn_starts_with_its_message(message_id: str | None) -> None:
    assert TurnEncoder(message_id).start() == [Start(message_id=message_id)]


def test_streamed_text_is_sent_once() -> None:
    chunks = encoded(partial(text("a ")), partial(text("b")), event(text("a b")))
    assert chunks == [*step(*said("0", "a ", "b")), finish()]


def test_text_that_came_whole_is_sent_whole() -> None:
    assert encoded(event(text("a"), text("b"))) == [*step(*said("0", "a", "b")), finish()]


def test_reasoning_and_text_are_two_parts_of_one_step() -> None:
    whole = event(text("hm", thought=True), text("a"))
    chunks = [
        ReasoningStart(id="0"),
        ReasoningDelta(id="0", delta="hm"),
        TextStart(id="1"),
        TextDelta(id="1", delta="a"),
        ReasoningEnd(id="0"),
        TextEnd(id="1"),
    ]
    streamed = [partial(text("hm", thought=True)), partial(text("a")), whole]
    assert encoded(whole) == [*step(*chunks), finish()]
    assert encoded(*streamed) == [*step(*chunks), finish()]


def test_text_before_reasoning_shares_its_step() -> None:
    chunks = encoded(partial(text("a")), partial(text("hm", thought=True)))
    assert chunks == [
        StartStep(),
        TextStart(id="0"),
        TextDelta(id="0", delta="a"),
        ReasoningStart(id="1"),
        ReasoningDelta(id="1", delta="hm"),
        ReasoningEnd(id="1"),
        TextEnd(id="0"),
        FinishStep(),
        finish(),
    ]


def test_reasoning_alone_is_a_step() -> None:
    chunks = encoded(partial(text("h", thought=True)), partial(text("m", thought=True)))
    assert chunks == [*step(*thought("0", "h", "m")), finish()]


def test_two_responses_are_two_steps() -> None:
    chunks = encoded(event(text("a")), event(text("b"), id="e2"))
    assert chunks == [*step(*said("0", "a")), *step(*said("1", "b")), finish()]


def test_interleaved_responses_share_a_step_and_keep_their_parts() -> None:
    chunks = encoded(
        partial(text("a1"), id="e1", author="a"),
        partial(text("b1"), id="e2", author="b"),
        partial(text("a2"), id="e1", author="a"),
        event(text("a1a2"), id="e1", author="a"),
        partial(text("b2"), id="e2", author="b"),
        event(text("b1b2"), id="e2", author="b"),
    )
    assert chunks == [
        StartStep(),
        TextStart(id="0"),
        TextDelta(id="0", delta="a1"),
        TextStart(id="1"),
        TextDelta(id="1", delta="b1"),
        TextDelta(id="0", delta="a2"),
        TextEnd(id="0"),
        TextDelta(id="1", delta="b2"),
        TextEnd(id="1"),
        FinishStep(),
        finish(),
    ]


def test_branches_of_one_author_are_different_responses() -> None:
    chunks = encoded(
        partial(text("a"), id="e1", branch="x"), partial(text("b"), id="e2", branch="y")
    )
    assert chunks == [
        StartStep(),
        TextStart(id="0"),
        TextDelta(id="0", delta="a"),
        TextStart(id="1"),
        TextDelta(id="1", delta="b"),
        TextEnd(id="0"),
        TextEnd(id="1"),
        FinishStep(),
        finish(),
    ]


def test_a_response_whose_last_event_never_comes_is_closed_by_the_next() -> None:
    chunks = encoded(partial(text("a")), partial(text("b"), id="e2"), event(text("b"), id="e2"))
    assert chunks == [*step(*said("0", "a")), *step(*said("1", "b")), finish()]


@pytest.mark.parametrize(
    "events",
    [[], [event()], [event(text(""))], [partial(text("")), event(text(""))], [partial()]],
)
def test_an_empty_answer_has_no_step(events: list[Event]) -> None:
    assert encoded(*events) == [finish()]


FILES: list[tuple[types.Part, list[AnyChunk]]] = [
    (
        types.Part.from_bytes(data=b"hi", mime_type="image/png"),
        [File(url="data:image/png;base64,aGk=", media_type="image/png")],
    ),
    (
        types.Part(inline_data=types.Blob(data=b"hi")),
        [
            File(
                url="data:application/octet-stream;base64,aGk=",
                media_type="application/octet-stream",
            )
        ],
    ),
    (
        types.Part.from_uri(file_uri="https://a.b/c.pdf", mime_type="application/pdf"),
        [File(url="https://a.b/c.pdf", media_type="application/pdf")],
    ),
    (
        types.Part(file_data=types.FileData(file_uri="https://a.b/c")),
        [File(url="https://a.b/c", media_type="application/octet-stream")],
    ),
]


@pytest.mark.parametrize(("part", "chunks"), FILES)
def test_a_file_is_sent_once(part: types.Part, chunks: list[AnyChunk]) -> None:
    assert encoded(event(part)) == [*step(*chunks), finish()]
    assert encoded(partial(part), event(part)) == [*step(*chunks), finish()]


def test_a_file_shares_the_step_of_its_text() -> None:
    part, chunks = FILES[0]
    shown = [*step(*said("0", "a"), *chunks), finish()]
    assert encoded(event(text("a"), part)) == shown
    assert encoded(partial(text("a")), partial(part)) == shown


def test_a_file_stands_between_the_texts_around_it() -> None:
    part, chunks = FILES[0]
    shown = [*step(*said("0", "a"), *chunks, *said("1", "b")), finish()]
    whole = event(text("a"), part, text("b"))
    assert encoded(whole) == shown
    assert encoded(partial(text("a")), partial(part), partial(text("b")), whole) == shown


@pytest.mark.parametrize(
    "part",
    [
        types.Part(inline_data=types.Blob(mime_type="image/png")),
        types.Part.from_uri(file_uri="gs://bucket/a.png", mime_type="image/png"),
        types.Part(file_data=types.FileData(mime_type="image/png")),
    ],
)
def test_a_file_that_a_browser_cannot_load_is_left_out(part: types.Part) -> None:
    assert encoded(partial(part), event(part)) == [finish()]


def web(*urls: str) -> dict[str, Any]:
    chunks = [types.GroundingChunk(web=types.GroundingChunkWeb(uri=url)) for url in urls]
    return {"grounding_metadata": types.GroundingMetadata(grounding_chunks=chunks)}


def test_sources_are_numbered_and_sent_once() -> None:
    first = event(text("a"), **web("https://a", "https://b"))
    second = event(text("b"), id="e2", **web("https://b", "https://c"))
    assert encoded(partial(text("a"), **web("https://a")), first, second) == [
        *[StartStep(), *said("0", "a")],
        SourceUrl(source_id="source-1", url="https://a"),
        SourceUrl(source_id="source-2", url="https://b"),
        FinishStep(),
        *[StartStep(), *said("1", "b")],
        SourceUrl(source_id="source-3", url="https://c"),
        FinishStep(),
        finish(),
    ]


def test_a_transfer_is_told() -> None:
    chunks = encoded(event(text("a"), actions={"transfer_to_agent": "billing"}))
    told = Data(type="data-agent", data={"from": "agent", "to": "billing"})
    assert chunks == [*step(*said("0", "a"), told), finish()]


@pytest.mark.parametrize(
    ("arguments", "chunk"),
    [
        (("x", 1, None, False), Data(type="data-x", data=1)),
        (("x", None, "i", True), Data(type="data-x", data=None, id="i", transient=True)),
    ],
)
def test_an_application_sends_its_own_parts(arguments: Any, chunk: Data) -> None:
    assert TurnEncoder().data(*arguments) == [chunk]
