"""What is taken as JSON, and where the fault is said to be when it is not."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol import strict_json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS | TEXT,
    lambda items: st.lists(items, max_size=4) | st.dictionaries(TEXT, items, max_size=4),
    max_leaves=25,
)


def fault_of(raw: bytes) -> str:
    with pytest.raises(BadRequest) as caught:
        strict_json.loads(raw)
    return caught.value.text


@settings(deadline=None)
@given(JSON, st.booleans())
def test_any_json_value_round_trips(value: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert strict_json.loads(raw) == value


@settings(deadline=None)
@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_json_or_a_bad_request(raw: bytes) -> None:
    try:
        strict_json.loads(raw)
    except BadRequest as error:
        assert error.text.startswith("$")


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"\xff", "$: not UTF-8"),
        (b'{"a": "\xc3"}', "$: not UTF-8"),
        (b"", "$: not JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"{", "$: not JSON: Expecting property name enclosed in double quotes: "),
        (b"[1,]", "$: not JSON: "),
        (b"1 2", "$: not JSON: Extra data: "),
        (b"\xef\xbb\xbf{}", "$: not JSON: Unexpected UTF-8 BOM"),
        (b'"\n"', "$: not JSON: Invalid control character"),
        (b"1" * 5000, "$: not JSON: "),
    ],
)
def test_what_is_no_json_is_refused(raw: bytes, fault: str) -> None:
    assert fault_of(raw).startswith(fault)


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_json_does_not_have_are_refused(name: str) -> None:
    assert fault_of(b'{"a": [%b]}' % name.encode()) == f"$: not JSON: {name} is not a JSON number"


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"1e999", "$: the number is out of range"),
        (b'{"a": [0, -1e999]}', "$.a[1]: the number is out of range"),
        (rb'"\ud800"', "$: the text is not valid Unicode"),
        (rb'{"a": {"b": ["\udc00 x"]}}', "$.a.b[0]: the text is not valid Unicode"),
        (rb'{"a": "x\u0000y"}', "$.a: the text holds a NUL character"),
        (rb'[{"b\u0000": 1}]', "$[0].b\0: the text holds a NUL character"),
    ],
)
def test_a_bad_value_is_refused_with_its_path(raw: bytes, fault: str) -> None:
    assert fault_of(raw) == fault


def test_a_bad_key_is_named_in_text_that_can_be_sent() -> None:
    fault = fault_of(rb'{"a": {"\ud800": 1}}')
    assert fault.startswith("$.a.") and fault.endswith(": the text is not valid Unicode")
    fault.encode("utf-8")


@pytest.mark.parametrize("raw", [rb'"\ud83d\ude00"', "\U0001f600 é".encode().join([b'"', b'"'])])
def test_whole_surrogate_pairs_and_plain_unicode_are_taken(raw: bytes) -> None:
    assert strict_json.loads(raw).startswith("\U0001f600")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1, "a": 1}',
        b'{"b": 0, "a": 1, "c": [], "a": 2}',
        b'[[{"x": {"a": 1, "a": 2}}]]',
        rb'{"a": 1, "\u0061": 2}',
    ],
)
def test_duplicate_keys_are_refused_at_any_depth(raw: bytes) -> None:
    assert fault_of(raw) == "$: not JSON: duplicate key 'a'"


def test_a_duplicate_after_many_keys_is_found() -> None:
    """Comparing each key with each, this test would not end."""
    keys = b",".join(b'"k%d":0' % number for number in range(9_000))
    assert fault_of(b'{%b,"z":0,"z":0}' % keys) == "$: not JSON: duplicate key 'z'"


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_32_is_taken(opening: bytes, closing: bytes) -> None:
    inner = b"0" if opening != b"[" else b""
    value = strict_json.loads(opening * 32 + inner + closing * 32)
    for _ in range(31):
        value = value["a"] if isinstance(value, dict) else value[0]
    assert value in ([], {"a": 0})


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"[" * 33 + b"]" * 33, "[0]" * 32),
        (b'{"a":' * 33 + b"0" + b"}" * 33, ".a" * 32),
        (b'[1,{"b":' + b"[" * 31 + b"]" * 31 + b"}]", "[1].b" + "[0]" * 30),
    ],
)
def test_depth_33_is_refused_with_its_path(raw: bytes, path: str) -> None:
    assert fault_of(raw) == f"${path}: nested deeper than 32"


@pytest.mark.parametrize("raw", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000])
def test_very_many_brackets_are_refused(raw: bytes) -> None:
    assert fault_of(raw) == "$: nested deeper than 32"
