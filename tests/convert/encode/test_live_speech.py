"""What the model and the user say aloud: transcriptions as text, the voice as an option."""

from base64 import b64encode
from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.encode.live import LiveTurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk, Data
from tests.support.events import event, finish, said, step

DONE = event(turn_complete=True)
TONE = b"\x01\x02"
RATE = "audio/pcm;rate=24000"


def spoke(value: str | None, *, finished: bool = False) -> Event:
    written = types.Transcription(text=value, finished=finished)
    return event(partial=not finished, output_transcription=written)


def heard(id: str, value: str | None, *, finished: bool = False) -> Event:
    written = types.Transcription(text=value, finished=finished)
    partial = not finished
    return event(id=id, author="user", partial=partial, input_transcription=written)


def sound(*, data: bytes | None = TONE) -> Event:
    return event(types.Part(inline_data=types.Blob(mime_type=RATE, data=data)))


def pcm(data: bytes = TONE) -> Data:
    voice = {"mimeType": RATE, "data": b64encode(data).decode()}
    return Data(type="data-pcm", data=voice, transient=True)


def user(id: str, value: str) -> Data:
    return Data(type="data-user-message", id=id, data={"id": id, "text": value})


def live(*events: Event, **options: Any) -> list[AnyChunk]:
    encoder = LiveTurnEncoder("m1", **options)
    chunks = [chunk for one in events for chunk in encoder.encode(one)]
    return [*chunks, *encoder.finish()]


def test_the_words_of_the_model_are_text() -> None:
    chunks = live(spoke("Hel"), spoke("lo."), spoke("Hello.", finished=True), DONE)
    assert chunks == [*step(*said("0", "Hel", "lo.")), finish()]


def test_words_that_came_whole_are_sent_whole() -> None:
    assert live(spoke("Hello.", finished=True), DONE) == [*step(*said("0", "Hello.")), finish()]


@pytest.mark.parametrize("value", ["", None])
def test_no_words_are_no_text(value: str | None) -> None:
    assert live(spoke(value), spoke(value, finished=True), DONE) == [finish()]


def test_each_turn_of_the_model_has_a_part_of_its_own() -> None:
    first = [spoke("One."), spoke("One.", finished=True), DONE]
    second = [spoke("Two."), spoke("Two.", finished=True), DONE]
    chunks = live(*first, *second)
    assert chunks == [*step(*said("0", "One.")), *step(*said("1", "Two.")), finish()]


def test_an_interruption_closes_the_part() -> None:
    encoder = LiveTurnEncoder("m1")
    encoder.encode(spoke("I was ab"))
    assert encoder.encode(event(interrupted=True)) == said("0")[-1:]
    assert encoder.finish() == [step()[-1], finish()]


def test_what_the_user_says_grows_under_one_id() -> None:
    chunks = live(heard("e1", "Pay "), heard("e2", "Bob"), heard("e3", "Pay Bob.", finished=True))
    assert chunks == [user("e1", "Pay "), user("e1", "Pay Bob"), user("e1", "Pay Bob."), finish()]


def test_the_next_utterance_has_an_id_of_its_own() -> None:
    chunks = live(heard("e1", "One", finished=True), heard("e2", "Two", finished=True))
    assert chunks == [user("e1", "One"), user("e2", "Two"), finish()]


@pytest.mark.parametrize("value", ["", None])
def test_nothing_said_is_no_message(value: str | None) -> None:
    assert live(heard("e1", value), heard("e2", value, finished=True)) == [finish()]


def test_the_voice_is_an_option() -> None:
    assert live(sound(), DONE, audio=True) == [pcm(), finish()]
    assert live(sound(), DONE) == [finish()]


@pytest.mark.parametrize("data", [b"", None])
def test_no_sound_is_not_sent(data: bytes | None) -> None:
    assert live(sound(data=data), DONE, audio=True) == [finish()]


def test_voice_and_words_come_in_their_order() -> None:
    chunks = live(sound(), spoke("Hi."), sound(), DONE, audio=True)
    words = step(*said("0", "Hi."))
    assert chunks == [pcm(), *words[:3], pcm(), *words[3:], finish()]
