"""A tool may return anything; its chunk is strict JSON all the same."""

import json
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from enum import Enum
from typing import Any, NoReturn
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from adk_stream_protocol.protocol import sse
from adk_stream_protocol.protocol.chunks import Data


class Custom:
    """Nothing that any serialiser knows."""


class Colour(Enum):
    """An enumeration."""

    RED = "\ud800"


class Model(BaseModel):
    """A pydantic model of a tool's author."""

    prototype: Any = None
    other: Any = None


@dataclass(eq=False)
class Node:
    """A dataclass, perhaps one that points at itself."""

    next: Any = None


def cyclic_dict() -> dict[str, Any]:
    value: dict[str, Any] = {"a": 1}
    value["self"] = [value]
    return value


def cyclic_node() -> Node:
    node = Node()
    node.next = {"node": node}
    return node


def cyclic_model() -> Model:
    model = Model()
    model.other = [model]
    return model


TEXT = st.text(st.characters() | st.characters(categories=["Cs"]))
KEYS = TEXT | st.sampled_from(["__proto__", "constructor", "prototype"])
HASHABLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**64, max_value=2**200)
    | st.floats()
    | TEXT
    | st.binary()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.decimals(allow_nan=False)
    | st.sampled_from([Custom(), Colour.RED, UUID(int=1), Custom, 1j, Decimal("NaN")])
)
LEAVES = HASHABLE | st.builds(cyclic_dict) | st.builds(cyclic_node) | st.builds(cyclic_model)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda items: (
        st.lists(items, max_size=4)
        | st.lists(items, max_size=3).map(tuple)
        | st.sets(HASHABLE, max_size=3)
        | st.dictionaries(KEYS | st.integers() | st.tuples(st.integers()), items, max_size=4)
        | st.builds(Model, prototype=items, other=items)
        | st.builds(Node, items)
    ),
    max_leaves=12,
)


def not_strict(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")


def pollutes(value: Any) -> bool:
    if isinstance(value, list):
        return any(pollutes(item) for item in value)
    if not isinstance(value, dict):
        return False
    inner = value.get("constructor")
    found = "__proto__" in value or (isinstance(inner, dict) and "prototype" in inner)
    return found or any(pollutes(item) for item in value.values())


def sent(data: Any) -> Any:
    """What a browser reads, checked on the way."""
    wire = sse.encode_json(Data(type="data-x", data=data))
    assert not set(wire) & set(range(32)), "it is one line"
    chunk = json.loads(wire.decode("utf-8"), parse_constant=not_strict)
    assert chunk.keys() == {"type", "data"}
    assert json.dumps(chunk, separators=(",", ":"), ensure_ascii=False).count(" ") == wire.count(
        b" "
    ), "it is compact"
    assert not pollutes(chunk)
    return chunk["data"]


@settings(deadline=None, max_examples=300)
@given(ANYTHING)
def test_any_python_value_becomes_strict_json(value: Any) -> None:
    sent(value)


@pytest.mark.parametrize("first", [None, "\ud800"])
def test_bytes_look_the_same_beside_broken_text(first: str | None) -> None:
    assert sent([b"\xff", first])[0] == "/w=="


@pytest.mark.parametrize("value", [cyclic_dict(), cyclic_node(), cyclic_model()])
def test_a_value_that_holds_itself_is_cut(value: Any) -> None:
    assert sent(value)


def test_a_model_cannot_pollute_a_prototype() -> None:
    assert not pollutes(sent({"constructor": Model(prototype=1)}))


class CountingDict(dict[str, Any]):
    """Fails a test that would otherwise not end."""

    reads = 0

    def items(self) -> Any:
        self.reads += 1
        assert self.reads < 10_000, "the work grows with the power of the depth"
        return super().items()


def test_a_value_that_holds_itself_twice_is_cut_in_time() -> None:
    value = CountingDict()
    value["a"] = value["b"] = value
    assert sent(value)
