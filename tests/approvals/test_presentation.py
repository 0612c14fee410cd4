"""An approver sees all of a call, in the tool's own order, and nothing the call made up."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_stream_protocol.approvals.presentation import Presentation, ShownArgument, present
from tests.support.any_text import ANY_TEXT, hidden_in

EXPIRES = 1_767_323_045.25
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda items: st.lists(items, max_size=4) | st.dictionaries(ANY_TEXT, items, max_size=4),
    max_leaves=10,
)


def shown(arguments: dict[str, Any], order: Sequence[str] = (), **options: Any) -> Presentation:
    declared: dict[str, Any] = {
        "tool": "process_payment",
        "title": None,
        "hint": None,
        "risk": "high",
        "icon": None,
        "color": None,
    }
    return present(arguments=arguments, order=order, expires=EXPIRES, **(declared | options))


def value_of(value: Any) -> tuple[str, str, bool]:
    (argument,) = shown({"a": value}).arguments
    return argument.value, argument.kind, argument.cut


def test_a_call_is_shown_whole() -> None:
    seen = shown(
        {"note": "for\ntea", "amount": 50, "payee": "Ana"}, ["payee", "amount", "currency"]
    )
    assert seen == Presentation(
        tool="process_payment",
        title="Process payment",
        hint=None,
        risk="high",
        icon=None,
        color=None,
        arguments=(
            ShownArgument("payee", "Ana", "string", False),
            ShownArgument("amount", "50", "number", False),
            ShownArgument("note", "for\ntea", "string", False),
        ),
        expires_at="2026-01-02T03:04:05.250Z",
    )
    assert datetime.fromisoformat(seen.expires_at).timestamp() == EXPIRES


def test_json_has_camel_case_and_leaves_out_what_is_not_set() -> None:
    assert shown({"amount": 50}).to_json() == {
        "tool": "process_payment",
        "title": "Process payment",
        "risk": "high",
        "arguments": [{"name": "amount", "value": "50", "kind": "number", "cut": False}],
        "expiresAt": "2026-01-02T03:04:05.250Z",
    }


def test_what_the_developer_set_is_shown_and_made_visible_too() -> None:
    told = {"title": "Pay\u202e", "hint": "Line\nby\u200bline", "icon": "💳", "color": "#f00"}
    assert shown({}, **told, risk="low").to_json() == {
        "tool": "process_payment",
        "title": "Pay⟨U+202E⟩",
        "hint": "Line\nby⟨U+200B⟩line",
        "risk": "low",
        "icon": "💳",
        "color": "#f00",
        "arguments": [],
        "expiresAt": "2026-01-02T03:04:05.250Z",
    }


def test_an_unknown_risk_is_refused() -> None:
    with pytest.raises(ValueError, match="low, medium, high, not 'none'"):
        shown({}, risk="none")


@pytest.mark.parametrize(
    ("tool", "title"),
    [
        ("process_payment", "Process payment"),
        ("processPayment", "Process payment"),
        ("get-URL.of2x", "Get URL of2x"),
        ("HTTPGet", "HTTP get"),
        ("pay", "Pay"),
        ("__", "__"),
        ("", ""),
        ("送金_する", "送金_する"),
        ("pay\u202ement", "pay⟨U+202E⟩ment"),
        ("a\nb", "a⟨U+000A⟩b"),
    ],
)
def test_a_tool_without_a_title_is_named_in_words(tool: str, title: str) -> None:
    assert shown({}, tool=tool).title == title


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        ("50", "50", "string"),
        ("", "", "string"),
        ("a\u202eb", "a⟨U+202E⟩b", "string"),
        (50, "50", "number"),
        (50.0, "50.0", "number"),
        (0.1, "0.1", "number"),
        (-0.0, "-0.0", "number"),
        (1e21, "1e+21", "number"),
        (10**21, "1" + "0" * 21, "number"),
        (True, "true", "boolean"),
        (False, "false", "boolean"),
        (None, "null", "null"),
        ({}, "{}", "object"),
        ([], "[]", "array"),
        ((1, 2), "[1, 2]", "array"),
        ({"b": 1, "a": ["x", None]}, '{"b": 1, "a": ["x", null]}', "object"),
        ({"k\u200b": "v\u202e"}, '{"k⟨U+200B⟩": "v⟨U+202E⟩"}', "object"),
        (
            ['"', "\n", "\u0338", "送金", "⟨"],
            r'["\"", "\n", "⟨U+0338⟩", "送金", "⟨U+27E8⟩"]',
            "array",
        ),
        ({"a" + "\n" * 9: 1, "a" + "\n \n" * 4: 2}, None, "object"),
        (object, "\"<class 'object'>\"", "string"),
    ],
)
def test_a_value_is_shown_exactly(value: Any, text: str | None, kind: str) -> None:
    assert value_of(value) == (json.dumps(value) if text is None else text, kind, False)


def test_long_values_are_cut_and_say_so() -> None:
    text, _, cut = value_of("a" * 300 + "b" * 300)
    assert cut and len(text) == 500 and " … ⟨600 characters⟩ … " in text
    text, _, cut = value_of({"key": ["x" * 9000]})
    assert cut and text.startswith('{"key": ["x') and text.endswith('x"]}')
    assert value_of("a" * 500) == ("a" * 500, "string", False)


def test_a_name_cannot_pass_for_another_line_nor_for_one_of_ours() -> None:
    names = ["a\nb\tc", "⟨2 not shown⟩", "n" * 900]
    lines = [argument.name for argument in shown(dict.fromkeys(names, 0), names).arguments]
    assert lines[:2] == ["a⟨U+000A⟩b⟨U+0009⟩c", "⟨U+27E8⟩2 not shown⟨U+27E9⟩"]
    assert len(lines[2]) == 100 and "⟨900 characters⟩" in lines[2]


def test_the_schema_comes_first_and_the_rest_is_sorted() -> None:
    seen = shown(dict.fromkeys("xbca", 0), ["c", "z", "x", "c"])
    assert [argument.name for argument in seen.arguments] == ["c", "x", "a", "b"]


def test_arguments_past_the_limit_are_counted_and_named() -> None:
    arguments = {f"extra{number:04}": number for number in range(1100)} | {"to": "Ana"}
    seen = shown(arguments, ["to"]).arguments
    assert len(seen) == 51 and seen[0].name == "to" and seen[-2].name == "extra0048"
    last = seen[-1]
    assert (last.name, last.kind, last.cut) == ("⟨1,051 not shown⟩", "array", True)
    assert len(last.value) == 500
    assert last.value.startswith('["extra0049", ') and last.value.endswith('"extra1099"]')


def test_at_the_limit_nothing_is_left_out() -> None:
    assert len(shown(dict.fromkeys("abc", 0), max_arguments=3).arguments) == 3
    (only,) = shown(dict.fromkeys("abc", 0), max_arguments=0).arguments
    assert only == ShownArgument("⟨3 not shown⟩", '["a", "b", "c"]', "array", True)


@settings(deadline=None)
@given(st.dictionaries(ANY_TEXT, JSON, max_size=8), st.lists(ANY_TEXT), ANY_TEXT, ANY_TEXT)
def test_no_call_hides_anything_or_grows_past_its_bounds(
    arguments: dict[str, Any], order: list[str], tool: str, hint: str
) -> None:
    order += sorted(arguments)[::2]
    seen = shown(arguments, order, tool=tool, hint=hint, max_value=50, max_arguments=5)
    assert len(seen.arguments) == min(len(arguments), 6)
    assert hidden_in(seen.tool) == hidden_in(seen.title) == hidden_in(seen.hint or "") == []
    assert len(seen.tool) <= 100 and len(seen.title) <= 100 and len(seen.hint or "") <= 1000
    for argument in seen.arguments:
        assert hidden_in(argument.name) == hidden_in(argument.value) == []
        assert len(argument.name) <= 100 and len(argument.value) <= 50
        assert "\n" not in argument.name and "\t" not in argument.name
    json.dumps(seen.to_json(), ensure_ascii=False).encode()


def test_look_alikes_are_written_out_and_told() -> None:
    (payee, note) = shown({"payee": "p\u0430ypal", "note": "за обед"}, ["payee"]).to_json()[
        "arguments"
    ]
    assert payee == {
        "name": "payee",
        "value": "p⟨U+0430⟩ypal",
        "kind": "string",
        "cut": False,
        "lookAlike": True,
    }
    assert note == {"name": "note", "value": "за обед", "kind": "string", "cut": False}


def test_a_tool_and_an_argument_cannot_have_the_name_of_another() -> None:
    seen = shown({"am\u043eunt": 5}, tool="process_p\u0430yment")
    assert seen.tool == "process_p⟨U+0430⟩yment" == seen.title
    (argument,) = seen.arguments
    assert (argument.name, argument.look_alike) == ("am⟨U+043E⟩unt", True)
