"""Grounding and citation metadata of a model response as source chunks."""

from collections.abc import Iterator
from mimetypes import guess_type
from pathlib import PurePosixPath

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.protocol.chunks import SourceDocument, SourceUrl

Source = SourceUrl | SourceDocument


def sources_of(event: Event) -> Iterator[Source]:
    """Yield the sources an event names; as its id, each has what it points at."""
    grounding = event.grounding_metadata
    for chunk in (grounding and grounding.grounding_chunks) or []:
        if source := _grounding_source(chunk):
            yield source
    citations = event.citation_metadata
    for citation in (citations and citations.citations) or []:
        if source := _source(citation.uri, citation.title):
            yield source


def _grounding_source(chunk: types.GroundingChunk) -> Source | None:
    if chunk.web:
        return _source(chunk.web.uri, chunk.web.title)
    if chunk.maps:
        return _source(chunk.maps.uri, chunk.maps.title)
    if chunk.image:
        return _source(chunk.image.source_uri, chunk.image.title)
    if chunk.retrieved_context:
        return _source(chunk.retrieved_context.uri, chunk.retrieved_context.title)
    return None


def _source(address: str | None, title: str | None) -> Source | None:
    if address and address.startswith(("https://", "http://")):
        return SourceUrl(source_id=address, url=address, title=title)
    name = address or title
    if not name:
        return None
    return SourceDocument(
        source_id=name,
        media_type=guess_type(name)[0] or "text/plain",
        title=title or PurePosixPath(name).name,
        filename=PurePosixPath(address).name if address else None,
    )
