"""A failure is logged with its type and place, and without its words."""

import logging

import pytest

from adk_stream_protocol.failure_log import log_failure, place_of, types_of

SECRET = "postgresql://user:password@db"
logger = logging.getLogger("adk_stream_protocol.test")


def failure() -> BaseException:
    try:
        try:
            raise OSError(SECRET)
        except OSError as cause:
            raise ValueError(f"amount {SECRET}") from cause
    except ValueError as error:
        return error


def test_plain_logging_shows_no_words_of_an_exception(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    log_failure(logger, failure(), "turn %s failed", "r1")
    (record,) = caplog.records
    assert record.getMessage() == "turn r1 failed (ValueError)"
    assert SECRET not in caplog.text and SECRET not in repr(vars(record))
    assert vars(record)["exception"] == "ValueError < OSError"
    assert vars(record)["at"].startswith("failure (test_failure_log.py:")


def test_debugging_shows_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger.name)
    log_failure(logger, failure(), "turn %s failed", "r1")
    assert SECRET in caplog.text


def test_a_chain_of_causes_is_cut() -> None:
    error = ValueError()
    error.__cause__ = error
    assert len(types_of(error)) == 10 and types_of(None) == [] and place_of(None) == ""
