"""What crosses the wire: camelCase, and absent instead of null."""

import msgspec

from adk_stream_protocol.protocol._model import Chunk, Model  # pyright: ignore[reportPrivateUsage]


class Sample(Model):
    """A part with a field of each kind."""

    tool_call_id: str
    hint_text: str | None = None


class Tagged(Chunk, tag="a-tag"):
    """A chunk."""


def test_names_are_those_of_the_sdk_and_what_is_unset_is_absent() -> None:
    assert msgspec.to_builtins(Sample(tool_call_id="c")) == {"toolCallId": "c"}
    assert msgspec.to_builtins(Sample(tool_call_id="c", hint_text="h")) == {
        "toolCallId": "c",
        "hintText": "h",
    }


def test_a_chunk_says_what_it_is() -> None:
    assert msgspec.to_builtins(Tagged()) == {"type": "a-tag"}
