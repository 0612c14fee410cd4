"""Failures as clients get them: a code and a text, and nothing of what went on inside."""

import pytest
from google.adk.errors import StaleSessionError
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from adk_stream_protocol.chats.failures import failure_of, needing_the_store
from adk_stream_protocol.errors import Conflict, LinkLost, Unavailable

SECRET = "SELECT * FROM customers"
DATABASE = OperationalError(SECRET, None, Exception("disk I/O error"))


def caused(error: Exception, cause: Exception) -> Exception:
    """As ADK wraps what a plugin or a store raises."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Conflict("It is decided."), "conflict"),
        (LinkLost("it closed"), "link-lost"),
        (StaleSessionError("stale"), "busy"),
        (DATABASE, "unavailable"),
        (TimeoutError(), "model-unavailable"),
        (RuntimeError(SECRET), "internal"),
        (caused(RuntimeError("plugin failed"), Conflict("It is decided.")), "conflict"),
        (caused(RuntimeError("a"), caused(RuntimeError("b"), DATABASE)), "unavailable"),
        (caused(RuntimeError("a"), ValueError(SECRET)), "internal"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_exception_is_known_by_its_first_cause_that_says_something(
    error: Exception, code: str
) -> None:
    failure = failure_of(error)
    assert failure.code == code
    assert failure.text and SECRET not in failure.text


def test_our_own_errors_bring_their_text() -> None:
    assert failure_of(Conflict("It is decided.")).text == "It is decided."


@pytest.mark.parametrize("error", [DATABASE, SQLAlchemyError("x"), OSError("no space left")])
def test_a_store_that_fails_is_unavailable(error: Exception) -> None:
    with pytest.raises(Unavailable, match="Nothing was changed") as raised, needing_the_store():
        raise error
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [Conflict("It is decided."), ValueError("no store's fault")])
def test_all_else_passes(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, needing_the_store():
        raise error
    assert raised.value is error
