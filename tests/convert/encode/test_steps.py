"""Steps: one per model response, never two open, and one after the last tool result."""

from adk_stream_protocol.convert.encode.steps import Steps
from adk_stream_protocol.protocol.chunks import AnyChunk, FinishStep, StartStep

START, FINISH = StartStep(), FinishStep()


def test_a_step_is_closed_before_the_next_is_opened() -> None:
    steps, out = Steps(), list[AnyChunk]()
    steps.next(out)
    steps.next(out)
    steps.end(out)
    steps.end(out)
    assert out == [START, FINISH, START, FINISH]


def test_a_turn_that_ends_with_a_result_gets_a_step_after_it() -> None:
    steps, out = Steps(), list[AnyChunk]()
    steps.next(out)
    steps.after_tool = True
    steps.last(out, waiting=False)
    assert out == [START, FINISH, START, FINISH]


def test_a_turn_that_waits_ends_with_the_step_that_waits() -> None:
    steps, out = Steps(), list[AnyChunk]()
    steps.next(out)
    steps.after_tool = True
    steps.last(out, waiting=True)
    assert out == [START, FINISH]


def test_a_turn_that_joins_a_step_opens_none_before_a_result_came() -> None:
    steps, out = Steps(joins=True), list[AnyChunk]()
    steps.next(out)
    assert out == [] and not steps.is_open
    steps.after_tool = True
    steps.next(out)
    assert out == [START] and steps.is_open
