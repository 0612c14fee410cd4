"""Streamed arguments as JSON text that only ever grows."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_stream_protocol.convert.encode.partial_args import PartialArgs, parse_path

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\'\""))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda items: (
        st.lists(items, min_size=1, max_size=3)
        | st.dictionaries(NAMES, items, min_size=1, max_size=3)
    ),
    max_leaves=12,
)
FLAT = st.dictionaries(NAMES, SCALARS, min_size=1, max_size=5)
NESTED = st.dictionaries(NAMES, VALUES, min_size=1, max_size=4)


def arg(path: str | None, **value: Any) -> types.PartialArg:
    return types.PartialArg.model_validate({"json_path": path, **value})


def feed(*args: types.PartialArg) -> str:
    return PartialArgs().feed(list(args))


def cut(value: Any, path: str, size: int) -> Iterator[types.PartialArg]:
    """The pieces of a value in depth-first order, as a model streams them."""
    if isinstance(value, dict):
        for name, item in value.items():
            plain = re.fullmatch(r"\w+", name)
            yield from cut(item, f"{path}.{name}" if plain else f"{path}['{name}']", size)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from cut(item, f"{path}[{index}]", size)
    elif isinstance(value, str):
        pieces = [value[start : start + size] for start in range(0, len(value), size)] or [""]
        for piece in pieces[:-1]:
            yield arg(path, string_value=piece, will_continue=True)
        yield arg(path, string_value=pieces[-1])
    elif value is None:
        yield arg(path, null_value="NULL_VALUE")
    else:
        kind = "bool_value" if isinstance(value, bool) else "number_value"
        yield arg(path, **{kind: value})


def closed(text: str) -> Any:
    """The text parsed, with the brackets and the quote that it lacks."""
    missing: list[str] = []
    for token in re.findall(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', text):
        if token in "[{":
            missing.append("]" if token == "[" else "}")
        elif token in "]}":
            missing.pop()
        elif len(token) == 1 or not token.endswith('"') or re.search(r'(?<!\\)(\\\\)*\\"$', token):
            missing.append('"')
    return json.loads(text + "".join(reversed(missing)))


@settings(deadline=None)
@given(FLAT | NESTED, st.integers(1, 4))
def test_cut_arguments_grow_to_the_same_value(value: dict[str, Any], size: int) -> None:
    stream = PartialArgs()
    text = ""
    for piece in cut(value, "$", size):
        text += stream.feed([piece])
        closed(text)
    assert closed(text) == value


def test_each_feed_returns_what_it_adds() -> None:
    stream = PartialArgs()
    pieces = [
        [arg("$.city", string_value="To", will_continue=True)],
        [arg("$.city", string_value='k"yo', will_continue=True)],
        [arg("$.city", string_value="")],
        [arg("$.days[0]", number_value=1), arg("$.days[1]", number_value=2.5)],
        [arg("$.to.name", string_value="x")],
        [arg("$.to.ok", bool_value=True)],
        [arg("$.none", null_value="NULL_VALUE")],
        [],
    ]
    assert [stream.feed(piece) for piece in pieces] == [
        '{"city":"To',
        'k\\"yo',
        '"',
        ',"days":[1,2.5',
        '],"to":{"name":"x"',
        ',"ok":true',
        '},"none":null',
        "",
    ]


def test_a_text_that_says_it_goes_on_is_closed_by_the_next_path() -> None:
    first = arg("$.a", string_value="x", will_continue=True)
    assert feed(first, arg("$.b", number_value=1)) == '{"a":"x","b":1'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"number_value": 1e20}, "100000000000000000000"),
        ({"number_value": float("inf")}, "null"),
        ({"number_value": float("nan")}, "null"),
        ({"number_value": -0.0}, "0"),
        ({"string_value": "\ud83d"}, '"?"'),
        ({}, "null"),
    ],
)
def test_odd_values_stay_json(value: dict[str, Any], text: str) -> None:
    assert feed(arg("$.a", **value)) == '{"a":' + text


def test_half_a_character_in_a_name_stays_json() -> None:
    assert closed(feed(arg("$.\ud800", number_value=1))) == {"?": 1}


@pytest.mark.parametrize("path", [None, "", "$", "$.", "x", "$.a[", "$.a[x]", "$..a", "$[-1]"])
def test_an_odd_path_ends_the_streaming(path: str | None) -> None:
    later = arg("$.b", number_value=1)
    assert feed(arg(path, number_value=1), later) == ""


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (["$.a", "$.b", "$.a", "$.c"], '{"a":1,"b":1'),
        (["$.a.x", "$.b", "$.a.y", "$.c"], '{"a":{"x":1},"b":1'),
        (["$.a[0]", "$.b", "$.a[1]", "$.c"], '{"a":[1],"b":1'),
        (["$.a.x", "$.b", "$.a"], '{"a":{"x":1},"b":1'),
    ],
)
def test_a_path_that_comes_back_ends_the_streaming(paths: list[str], text: str) -> None:
    assert feed(*(arg(path, number_value=1) for path in paths)) == text


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (["$.a", "$.a", "$.b"], '{"a":1'),
        (["$.a", "$.a.b", "$.b"], '{"a":1'),
        (["$.a.b", "$.a", "$.b"], '{"a":{"b":1'),
        (["$.a.b", "$.a[0]", "$.b"], '{"a":{"b":1'),
        (["$.a[0]", "$.a.b", "$.b"], '{"a":[1'),
        (["$.a", "$[0]", "$.b"], '{"a":1'),
    ],
)
def test_a_path_that_does_not_fit_ends_the_streaming(paths: list[str], text: str) -> None:
    assert feed(*(arg(path, number_value=1) for path in paths)) == text


def test_a_text_that_goes_on_after_its_end_ends_the_streaming() -> None:
    pieces = [arg("$.a", string_value="x"), arg("$.a", string_value="y")]
    assert feed(*pieces, arg("$.b", number_value=1)) == '{"a":"x"'


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$.a", ("a",)),
        ("$.a.b[0][12].c", ("a", "b", 0, 12, "c")),
        ("$['a.b']", ("a.b",)),
        ('$["a[0]"].c', ("a[0]", "c")),
        ("$['']", ("",)),
        ("$.名前", ("名前",)),
        (r"$['it\'s']", ("it's",)),
        (r'$["a\\b"]', ("a\\b",)),
        ("", ()),
        ("$", ()),
        ("$.a b", ("a b",)),
        ("$.a.", ()),
        ("$[a]", ()),
    ],
)
def test_a_path_is_read(path: str, steps: tuple[str | int, ...]) -> None:
    assert parse_path(path) == steps
