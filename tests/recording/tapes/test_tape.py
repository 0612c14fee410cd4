"""The entries of a tape: each says on which request or connection something happened."""

from dataclasses import fields
from typing import get_args

import pytest

from adk_stream_protocol.recording.tapes.tape import (
    CannotRecord,
    Ended,
    Entry,
    OfClient,
    OfModel,
    RecordingOptions,
)

ENTRIES: tuple[type[object], ...] = get_args(Entry)


def test_an_entry_is_of_one_side() -> None:
    client, model = set(get_args(OfClient)), set(get_args(OfModel))
    assert client.isdisjoint(model) and client | model == set(ENTRIES)


@pytest.mark.parametrize("kind", ENTRIES, ids=lambda kind: kind.__name__)
def test_every_entry_says_whose_it_is(kind: type[Ended]) -> None:
    """The recorder passes over whole requests by this number, whatever the entry is."""
    first = fields(kind)[0]
    assert (first.name, first.type) == ("id", int)


def test_equal_entries_are_equal() -> None:
    assert Ended(1) == Ended(1) != Ended(2) and len({Ended(1), Ended(1)}) == 1


def test_options_have_the_defaults_of_a_server() -> None:
    options = RecordingOptions()
    assert (options.approval_ttl, options.calls, options.varies) == (600, "sequential", {})
    assert issubclass(CannotRecord, Exception)
