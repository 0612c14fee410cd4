"""Grounding and citations as sources."""

from typing import Any

import pytest
from google.genai import types

from adk_stream_protocol.convert.encode.sources import Source, sources_of
from adk_stream_protocol.protocol.chunks import SourceDocument, SourceUrl
from tests.support.events import event

URL = "https://example.org/a"
PAGE = SourceUrl(source_id=URL, url=URL, title="A")


def grounded(*chunks: dict[str, Any]) -> list[Source]:
    metadata = types.GroundingMetadata.model_validate({"grounding_chunks": list(chunks)})
    return list(sources_of(event(grounding_metadata=metadata)))


def cited(**citation: Any) -> list[Source]:
    metadata = types.CitationMetadata.model_validate({"citations": [citation]})
    return list(sources_of(event(citation_metadata=metadata)))


@pytest.mark.parametrize(
    ("chunk", "source"),
    [
        ({"web": {"uri": URL, "title": "A"}}, PAGE),
        ({"maps": {"uri": URL, "title": "A"}}, PAGE),
        ({"image": {"source_uri": URL, "title": "A"}}, PAGE),
        ({"retrieved_context": {"uri": URL, "title": "A"}}, PAGE),
        (
            {"retrieved_context": {"uri": "gs://bucket/dir/book.pdf", "title": "Book"}},
            SourceDocument(
                source_id="gs://bucket/dir/book.pdf",
                media_type="application/pdf",
                title="Book",
                filename="book.pdf",
            ),
        ),
        (
            {"retrieved_context": {"uri": "gs://bucket/book"}},
            SourceDocument(
                source_id="gs://bucket/book", media_type="text/plain", title="book", filename="book"
            ),
        ),
        (
            {"retrieved_context": {"title": "Notes"}},
            SourceDocument(source_id="Notes", media_type="text/plain", title="Notes"),
        ),
    ],
)
def test_a_grounding_chunk_is_a_source(chunk: dict[str, Any], source: Source) -> None:
    assert grounded(chunk) == [source]


@pytest.mark.parametrize("chunk", [{}, {"web": {}}, {"retrieved_context": {}}])
def test_a_grounding_chunk_without_an_address_or_title_is_none(chunk: dict[str, Any]) -> None:
    assert grounded(chunk, {"web": {"uri": URL, "title": "A"}}) == [PAGE]


def test_a_citation_is_a_source() -> None:
    assert cited(uri=URL, title="A") == [PAGE]
    assert cited(uri="http://example.org") == [
        SourceUrl(source_id="http://example.org", url="http://example.org")
    ]
    assert cited() == []


def test_an_event_may_name_no_source() -> None:
    assert list(sources_of(event())) == []
    empty = event(
        grounding_metadata=types.GroundingMetadata(), citation_metadata=types.CitationMetadata()
    )
    assert list(sources_of(empty)) == []
