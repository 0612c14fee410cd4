"""A model turn in request mode, chunk by chunk."""

import httpx
import pytest
from google.genai import errors, types

from adk_stream_protocol.testing import Call, Say, Think
from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.playback import Step, failure, steps, token_counts
from adk_stream_protocol.testing.script.actions import Action, Drop, Fail, Hang, Turn
from tests.support.contents import user

CONTEXT = Context([user("12345678")])


def played(*turn: Action) -> list[Step]:
    return list(steps(list(turn), CONTEXT, "scripted-1"))


def parts(step: Step) -> list[types.Part]:
    assert isinstance(step, types.GenerateContentResponse) and step.candidates
    content = step.candidates[0].content
    return (content.parts or []) if content else []


def test_the_last_chunk_has_the_finish_reason_and_the_usage() -> None:
    first, last = played(Say(("1 ", "2 ")))
    assert [part.text for part in (*parts(first), *parts(last))] == ["1 ", "2 "]
    assert isinstance(last, types.GenerateContentResponse) and last.candidates
    assert last.candidates[0].finish_reason == types.FinishReason.STOP
    assert last.usage_metadata and last.usage_metadata.total_token_count == 3


def test_a_turn_without_actions_is_one_empty_chunk() -> None:
    (only,) = played()
    assert parts(only) == []


def test_silence_and_a_broken_link_stand_where_they_were_asked_for() -> None:
    said, silence, broken = played(Say(("1 ",)), Hang(1), Drop(), Say(("never",)))
    assert [part.text for part in parts(said)] == ["1 "]
    assert silence == Hang(1) and isinstance(broken, httpx.RemoteProtocolError)


def test_a_finish_reason_ends_the_turn() -> None:
    first, last = played(Call("f", {"a": 1}), Fail("SAFETY"), Say(("never",)))
    assert [part.function_call for part in parts(first)] == [
        types.FunctionCall(name="f", args={"a": 1})
    ]
    assert isinstance(last, types.GenerateContentResponse) and last.candidates
    assert last.candidates[0].finish_reason == types.FinishReason.SAFETY


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("404", errors.ClientError),
        ("INTERNAL", errors.ServerError),
        ("302", errors.APIError),
    ],
)
def test_a_status_is_raised(code: str, kind: type[Exception]) -> None:
    assert type(failure(code)) is kind


def test_tokens_are_counted_by_kind() -> None:
    turn: Turn = [Say(("12345",)), Think(("1", "2")), Call("f")]
    assert token_counts(turn, CONTEXT) == (2, 2, 1)
