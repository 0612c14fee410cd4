"""Stored events to exchanges: where they begin, what was taken back, how messages are named."""

from typing import Any

import pytest
from google.adk.events._rewind_events import (
    _apply_rewinds,  # pyright: ignore[reportPrivateUsage]
)
from google.adk.events.event import Event
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.convert.events import NOTES
from adk_stream_protocol.convert.history.exchanges import (
    Exchange,
    exchanges,
    live_invocations,
    standing_events,
    title_of,
)
from tests.support.events import event, response, text


def user(value: str, id: str = "u1", **fields: Any) -> Event:
    return event(text(value), id=id, author="user", **fields)


def heard(value: str, id: str = "h1", **fields: Any) -> Event:
    said = types.Transcription(text=value, finished=True)
    return event(id=id, author="user", input_transcription=said, **fields)


def spoke(value: str, metadata: dict[str, Any]) -> Event:
    said = types.Transcription(text=value, finished=True)
    return event(id="s1", author="agent", output_transcription=said, custom_metadata=metadata)


def over(id: str = "t1", **fields: Any) -> Event:
    marks: dict[str, Any] = {"turn_complete": True, **fields}
    return event(id=id, author="agent", **marks)


def rewind(before: str, id: str = "r1") -> Event:
    actions = {"rewind_before_invocation_id": before}
    return event(id=id, author="user", actions=actions, invocation_id=id)


def ids(found: list[Exchange]) -> list[tuple[list[str], list[str]]]:
    return [([e.id for e in one.said], [e.id for e in one.events]) for one in found]


def test_an_exchange_begins_where_the_user_wrote() -> None:
    answer = event(response("c1", "pay", {}), id="a", author="user")
    events = [user("hi"), event(text("x"), id="e1"), answer, user("more", "u2")]
    assert ids(exchanges(events)) == [(["u1"], ["e1", "a"]), (["u2"], [])]


def test_what_comes_before_the_first_message_stands_alone() -> None:
    found = exchanges([event(text("welcome"), id="e1"), user("hi")])
    assert ids(found) == [([], ["e1"]), (["u1"], [])]
    assert [one.message_id for one in found] == ["msg-e1", "msg-u1"]
    assert exchanges([]) == []


def test_a_file_is_a_message_and_what_no_browser_can_show_is_not() -> None:
    def with_part(id: str, part: types.Part) -> Event:
        return event(part, id=id, author="user")

    events = [
        with_part("u1", types.Part.from_bytes(data=b"x", mime_type="image/png")),
        with_part("u2", types.Part.from_uri(file_uri="https://e.x/a.png", mime_type="image/png")),
        with_part("u3", types.Part.from_uri(file_uri="artifact://a.pcm", mime_type="audio/pcm")),
        with_part("u4", types.Part(inline_data=types.Blob(mime_type="image/png"))),
        with_part("u5", types.Part(file_data=types.FileData(mime_type="image/png"))),
    ]
    assert ids(exchanges(events)) == [(["u1"], []), (["u2"], ["u3", "u4", "u5"])]


def test_speech_is_a_message_and_its_pieces_are_one() -> None:
    events = [heard("What is "), heard("the time?", "h2"), over(), heard("Thanks", "h3")]
    found = exchanges(events)
    assert ids(found) == [(["h1", "h2"], ["t1"]), (["h3"], [])]
    assert found[0].content.parts == [types.Part(text="What is the time?")]


def test_speech_after_a_typed_message_is_another_one() -> None:
    found = exchanges([user("hi"), heard("there")])
    assert ids(found) == [(["u1"], []), (["h1"], [])]
    assert found[0].content.parts == [types.Part(text="hi")]


def test_unfinished_speech_begins_nothing() -> None:
    piece = types.Transcription(text="Wh", finished=False)
    partial = event(id="p", author="user", input_transcription=piece, partial=True)
    empty = event(id="e", author="user", input_transcription=types.Transcription())
    assert ids(exchanges([heard("a"), over(), partial, empty])) == [(["h1"], ["t1", "p", "e"])]


def test_speech_written_down_late_goes_before_the_call_that_answers_it() -> None:
    events = [heard("a"), over(), event(text("x"), id="e1"), heard("b", "h2"), over("t2")]
    assert ids(exchanges(events)) == [(["h1"], ["t1"]), (["h2"], ["e1", "t2"])]
    interrupted = [heard("a"), over(turn_complete=None, interrupted=True), *events[2:]]
    assert ids(exchanges(interrupted)) == [(["h1"], ["t1"]), (["h2"], ["e1", "t2"])]


def test_late_speech_at_the_very_beginning() -> None:
    assert ids(exchanges([event(text("x"), id="e1"), heard("a")])) == [(["h1"], ["e1"])]
    greeted = [event(text("x"), id="e1"), over(), heard("a")]
    assert ids(exchanges(greeted)) == [([], ["e1", "t1"]), (["h1"], [])]


def test_an_answer_under_way_stays_with_what_it_answers() -> None:
    events = [heard("a"), event(text("x"), id="e1"), heard("b", "h2")]
    assert ids(exchanges(events)) == [(["h1"], ["e1"]), (["h2"], [])]


def test_messages_keep_the_ids_they_were_streamed_with() -> None:
    names = {NOTES: {"messageId": "m1", "userMessageId": "mine"}}
    later = {NOTES: {"messageId": "m2"}}
    found = exchanges(
        [
            user("hi", custom_metadata=names),
            event(text("x"), id="e1", custom_metadata=later),
            user("more", "u2"),
            event(text("y"), id="e2", custom_metadata={"theirs": 1}),
            event(text("z"), id="e3", custom_metadata=later),
        ]
    )
    assert [(one.user_message_id, one.message_id) for one in found] == [
        ("mine", "m1"),
        ("u2", "m2"),
    ]


@pytest.mark.parametrize("again", ["mine", "m1"])
def test_an_id_that_a_client_uses_twice_counts_once(again: str) -> None:
    first = {NOTES: {"messageId": "m1", "userMessageId": "mine"}}
    second = {NOTES: {"messageId": "m2", "userMessageId": again}}
    events = [user("a", custom_metadata=first), user("b", "u2", custom_metadata=second)]
    assert [one.user_message_id for one in exchanges(events)] == ["mine", "u2"]


def test_an_event_that_comes_late_does_not_name_the_next_message() -> None:
    first, second = ({NOTES: {"messageId": name}} for name in ("m1", "m2"))
    late = event(text("late"), id="t1", custom_metadata=first)
    events = [
        user("a", custom_metadata=first),
        user("b", "u2"),
        late,
        event(text("x"), id="e1", custom_metadata=second),
        user("c", "u3"),
        late,
    ]
    assert [one.message_id for one in exchanges(events)] == ["m1", "m2", "msg-u3"]


def test_what_a_live_run_does_between_turns_names_nothing() -> None:
    names = [{NOTES: {"messageId": name}} for name in ("m1", "m2")]
    between = [event(id=f"t{n}", custom_metadata=one) for n, one in enumerate(names)]
    events = [between[0], user("a"), spoke("x", names[0]), between[1], heard("b"), between[1]]
    found = exchanges(events)
    assert [one.message_id for one in found] == ["msg-t0", "m1", "msg-h1"]


def test_what_was_taken_back_is_gone() -> None:
    events = [
        user("a", "u1", invocation_id="i1"),
        user("b", "u2", invocation_id="i2"),
        rewind("i2"),
        user("c", "u3", invocation_id="i3"),
    ]
    assert ids(exchanges(events)) == [(["u1"], []), (["u3"], [])]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=30))
def test_what_stands_is_what_adk_takes_for_standing(steps: list[tuple[bool, int]]) -> None:
    events = [rewind(f"i{n}") if back else event(invocation_id=f"i{n}") for back, n in steps]
    ours = [id(one) for one in standing_events(events)]
    assert ours == [id(one) for one in _apply_rewinds(events)]


def test_live_runs_are_known_by_the_marks_of_their_events() -> None:
    spoken = types.Transcription(text="x", finished=True)
    events = [
        event(text("x"), invocation_id="request"),
        event(text("x"), invocation_id="stopped", interrupted=True),
        event(invocation_id="a", turn_complete=True),
        event(invocation_id="c", live_session_id="1"),
        event(invocation_id="d", input_transcription=spoken),
        event(invocation_id="e", output_transcription=spoken),
    ]
    assert live_invocations(events) == {"a", "c", "d", "e"}


def test_a_title_is_one_short_line() -> None:
    def content(*values: str) -> types.Content:
        return types.Content(parts=[types.Part(text=one) for one in values])

    assert title_of(content("Send  $50\nto Hanako")) == "Send $50 to Hanako"
    assert title_of(content("a", "b")) == "a b"
    assert title_of(content("x" * 80)) == "x" * 80
    assert title_of(content("word " * 30)) == f"{'word ' * 15}word…"
    assert title_of(types.Content()) == ""
