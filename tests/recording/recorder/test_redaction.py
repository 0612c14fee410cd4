"""Secrets are taken out wherever they stand, and what belongs together still does."""

from adk_stream_protocol.recording.recorder.redaction import Redaction


def test_a_secret_is_masked_wherever_it_stands() -> None:
    redaction = Redaction()
    redaction.secret("hunter2-hunter2")
    content = {"a": ["it is hunter2-hunter2.", 7], "b": {"c": "hunter2-hunter2"}}
    assert redaction.apply(content) == {"a": [f"it is {'*' * 15}.", 7], "b": {"c": "*" * 15}}


def test_a_pattern_is_masked_too() -> None:
    redaction = Redaction([r"\d{3}-\d{4}", r"[a-z]+@[a-z.]+"])
    assert redaction.text("Call 555-1234 or bob@example.com") == f"Call {'*' * 8} or {'*' * 15}"


def test_a_secret_in_several_pieces_is_masked_in_each() -> None:
    redaction = Redaction(["secret-word"])
    deltas = [{"type": "text-delta", "delta": piece} for piece in ("a sec", "ret-", "word!")]
    assert [one["delta"] for one in redaction.apply(deltas)] == ["a ***", "****", "****!"]


def test_pieces_of_different_kinds_are_not_joined() -> None:
    redaction = Redaction(["ab"])
    assert redaction.apply([{"text": "a"}, {"delta": "b"}]) == [{"text": "a"}, {"delta": "b"}]


def test_short_values_are_no_secrets() -> None:
    redaction = Redaction()
    redaction.secret("bob")
    redaction.secret("")
    assert redaction.apply({"text": "Send $50 to bob"}) == {"text": "Send $50 to bob"}
