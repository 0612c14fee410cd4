"""Yes is JSON true, or the word "approved" in `approval`. Nothing else is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.convert.answers import read_verdict
from adk_stream_protocol.errors import BadRequest

UNCLEAR = "$.p: one clear yes or no is expected, as true or false"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"approved": True}, (True, None)),
        ({"confirmed": True}, (True, None)),
        ({"approval": True}, (True, None)),
        ({"approval": "approved"}, (True, None)),
        ({"approved": True, "confirmed": True, "approval": "approved"}, (True, None)),
        ({"approved": False}, (False, None)),
        ({"confirmed": False, "reason": "no"}, (False, "no")),
        ({"approval": "denied"}, (False, None)),
        ({"approval": "Approved"}, (False, None)),
        ({"approval": "approved "}, (False, None)),
        ({"approval": ""}, (False, None)),
        ({"approved": True, "user_message": "ok", "reason": "x"}, (True, "ok")),
        ({"approved": True, "user_message": "", "reason": "x"}, (True, "x")),
        ({"approved": True, "reason": 7}, (True, None)),
        ({"approved": True, "payload": {"x": 1}}, (True, None)),
    ],
)
def test_a_clear_verdict_is_read(value: Any, verdict: tuple[bool, str | None]) -> None:
    assert read_verdict(value, "$.p") == verdict


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "approved",
        [True],
        {},
        {"reason": "yes"},
        {"approved": "true"},
        {"approved": "approved"},
        {"confirmed": "approved"},
        {"approved": 1},
        {"confirmed": 1.0},
        {"approval": 1},
        {"approved": None},
        {"approval": {"approved": True}},
        {"approved": True, "confirmed": False},
        {"approved": True, "approval": "denied"},
        {"approved": True, "confirmed": 1},
    ],
)
def test_what_is_not_clear_is_refused(value: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        read_verdict(value, "$.p")
    assert caught.value.text == UNCLEAR


@given(
    st.dictionaries(
        st.sampled_from(["approved", "confirmed", "approval"]),
        st.none() | st.integers() | st.floats() | st.text() | st.lists(st.booleans()),
    )
)
def test_without_true_or_the_word_nothing_is_a_yes(value: dict[str, Any]) -> None:
    try:
        approved, _ = read_verdict(value, "$")
    except BadRequest:
        return
    assert approved is (value.get("approval") == "approved")
