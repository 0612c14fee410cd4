"""Every error has its status, a stable code and a text for users."""

import pytest

from adk_stream_protocol import errors
from adk_stream_protocol.errors import StreamProtocolError

ANSWERS: list[tuple[type[StreamProtocolError], int, str]] = [
    (errors.StreamProtocolError, 500, "internal"),
    (errors.BadRequest, 422, "malformed"),
    (errors.Unauthenticated, 401, "unauthenticated"),
    (errors.Forbidden, 403, "forbidden"),
    (errors.ForbiddenOrigin, 403, "origin"),
    (errors.ForbiddenHost, 403, "host"),
    (errors.UnknownId, 404, "unknown"),
    (errors.Conflict, 409, "conflict"),
    (errors.Busy, 409, "busy"),
    (errors.Expired, 410, "expired"),
    (errors.TooLarge, 413, "too-large"),
    (errors.NotJson, 415, "not-json"),
    (errors.TooMany, 429, "too-many"),
    (errors.Unavailable, 503, "unavailable"),
]


@pytest.mark.parametrize(("kind", "status", "code"), ANSWERS)
def test_an_error_carries_status_code_and_text(
    kind: type[StreamProtocolError], status: int, code: str
) -> None:
    error = kind("No.")
    assert (error.status, error.code, error.text, str(error)) == (status, code, "No.", "No.")


def test_every_error_is_listed_here() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    assert kinds == {errors.LinkLost, errors.Relayed, *(kind for kind, _, _ in ANSWERS)}


def test_a_lost_link_keeps_its_reason_for_the_log() -> None:
    error = errors.LinkLost("the model ended the conversation")
    assert (error.status, error.code, error.why) == (
        502,
        "link-lost",
        "the model ended the conversation",
    )
    assert "Please try again" in error.text


def test_an_error_of_another_worker_stays_what_it_was() -> None:
    error = errors.Relayed(409, "busy", "No.")
    assert (error.status, error.code, error.text) == (409, "busy", "No.")
