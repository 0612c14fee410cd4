"""Reading the newest message, and what was done about it, out of a request's contents."""

from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from tests.support.contents import call, model, result, results, user


def test_the_message_is_the_newest_text_of_the_user() -> None:
    context = Context([user("old"), model(types.Part(text="yes")), user("new", "lines")])
    assert context.message() == "new\nlines"
    assert context.rounds() == []


def test_calls_before_the_message_do_not_count() -> None:
    before = [user("old"), model(call("f")), results(result("f"))]
    assert Context([*before, user("new")]).rounds() == []


def test_each_model_turn_with_calls_is_a_round() -> None:
    first = [model(call("f")), results(result("f"))]
    second = [model(call("g")), results(result("g"))]
    assert len(Context([user("go"), *first, *second]).rounds()) == 2


def test_an_empty_context_is_no_trouble() -> None:
    assert Context([]).message() == ""
    assert Context([]).rounds() == []
    assert not Context([]).due()


def test_the_model_is_due_after_a_message_and_after_the_last_result() -> None:
    asked = [user("go"), model(call("f", "1"), call("f", "2"))]
    one, two = results(result("f", "2")), results(result("f", "1"))
    said = model(types.Part(text="so"))
    states = [
        Context(contents).due()
        for contents in (
            asked[:1],
            asked,
            [*asked, one],
            [*asked, one, two],
            [*asked, one, two, said],
            [*asked, one, results(result("f", "3"))],
        )
    ]
    assert states == [True, False, False, True, False, False]
