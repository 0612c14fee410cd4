"""Speech in ADK's `run_live`, both ways, and what the ear makes of sound."""

import struct
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.genai import types

from adk_stream_protocol.testing.live.speech import Ear, tone
from tests.support.conversations.live_conversation import LiveConversation, merged
from tests.support.polite_model import polite_model

SPEECH = RunConfig(response_modalities=[types.Modality.AUDIO])
UNWRITTEN = RunConfig(
    response_modalities=[types.Modality.AUDIO],
    input_audio_transcription=None,
    output_audio_transcription=None,
)
SOUND = "audio/pcm;rate=24000"


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


def chat(config: RunConfig = SPEECH, **options: Any) -> LiveConversation:
    model = polite_model(**options)
    return LiveConversation(LlmAgent(name="root", model=model, tools=[add]), config)


def speak(talk: LiveConversation, *sounds: bytes) -> None:
    for sound in sounds:
        talk.queue.send_realtime(types.Blob(mime_type="audio/pcm;rate=16000", data=sound))


async def test_the_model_speaks_and_what_it_says_is_written_down() -> None:
    async with chat() as talk:
        assert await talk.turn("/say 2") == [
            SOUND,
            "partial spoke '1 '",
            SOUND,
            "partial spoke '2 '",
            "spoke '1 2 '",
            "usage",
            "turn_complete",
        ]
    written = [w for event in talk.events if (w := event.output_transcription)]
    assert [entry.finished for entry in written] == [False, False, True]


async def test_without_transcription_there_is_only_sound() -> None:
    async with chat(UNWRITTEN) as talk:
        speak(talk, b"/say 2")
        talk.queue.send_audio_stream_end()
        assert await talk.until("turn_complete") == [SOUND, SOUND, "usage", "turn_complete"]


async def test_reasoning_and_calls_of_a_speaking_model() -> None:
    async with chat() as talk:
        lines = await talk.turn('/think hm\n/say 1\n/call add {"a": 1, "b": 2}\n/then\n/say 2')
        assert lines == [
            "partial thought 'hm'",
            SOUND,
            "partial spoke '1 '",
            "spoke '1 '",
            "thought 'hm'",
            'call add#1 {"a": 1, "b": 2}',
            'result add#1 {"sum": 3}',
            SOUND,
            "partial spoke '1 '",
            SOUND,
            "partial spoke '2 '",
            "spoke '1 2 '",
            "usage",
            "turn_complete",
        ]


async def test_speech_is_written_down_as_a_whole_and_answered() -> None:
    async with chat() as talk:
        talk.queue.send_activity_start()
        speak(talk, b"Thank ", b"you")
        talk.queue.send_activity_end()
        lines = merged(await talk.until("turn_complete"))
    assert [line for line in lines if line != SOUND] == [
        "heard 'Thank you'",
        "spoke 'You are welcome!'",
        "usage",
        "turn_complete",
    ]
    assert [e.author for e in talk.events if e.input_transcription] == ["user"]


async def test_older_models_write_speech_down_piece_by_piece() -> None:
    async with chat(live_calls_at_once=False) as talk:
        speak(talk, "ありがとう".encode(), b" ", b"Bob")
        talk.queue.send_audio_stream_end()
        assert (await talk.until("spoke"))[:3] == [
            "partial heard 'ありがとう '",
            "partial heard 'Bob'",
            "heard 'ありがとう Bob'",
        ]


async def test_silence_and_noise_are_heard_as_nothing() -> None:
    async with chat() as talk:
        speak(talk, bytes(640), b"\xff\xfe" * 320, struct.pack("<4h", 1, -2, 300, -400))
        talk.queue.send_audio_stream_end()
        speak(talk, bytes(640), b"Thanks", bytes(640))
        talk.queue.send_audio_stream_end()
        assert merged(await talk.until("turn_complete"))[0] == "heard 'Thanks'"


@pytest.mark.parametrize("signal", [True, False])
async def test_speech_interrupts_the_model(signal: bool) -> None:
    async with chat() as talk:
        talk.send("/say 1000")
        await talk.until("partial spoke '3 '")
        if signal:
            talk.queue.send_activity_start()
        else:
            speak(talk, b"Thanks")
        stopped = [line for line in merged(await talk.until("turn_complete")) if line != SOUND]
        assert stopped[0].startswith("spoke '1 2 3 ")
        assert stopped[1:] == ["interrupted", "turn_complete"]


async def test_pictures_do_not_disturb() -> None:
    async with chat() as talk:
        talk.queue.send_realtime(types.Blob(mime_type="image/png", data=b"Thanks"))
        talk.queue.send_audio_stream_end()
        assert merged(await talk.turn("/say 0")) == ["usage", "turn_complete"]


async def test_spoken_words_are_history_in_request_mode() -> None:
    talk = chat()
    async with talk:
        speak(talk, b"Thanks")
        talk.queue.send_audio_stream_end()
        await talk.until("turn_complete")
        await talk.end()
    answer = await talk.ask("/echo")
    assert '{"text": "Thanks"}' in answer
    assert '{"text": "You are welcome!"}' in answer


def test_the_tone_is_sound_of_forty_milliseconds() -> None:
    data = tone().data or b""
    samples = struct.unpack(f"<{len(data) // 2}h", data)
    assert len(samples) == 24_000 * 40 // 1000
    assert samples[0] == 0 and 1_000 < max(samples) <= 2_000


def test_the_ear_joins_what_belongs_together() -> None:
    ear = Ear()
    text = "花子".encode()
    assert [ear.hear(text[:2]), ear.hear(text[2:])] == [True, False]
    assert (ear.finish(), ear.finish()) == ("花子", "")


def test_the_ear_does_not_listen_for_ever() -> None:
    ear = Ear()
    for _ in range(1000):
        ear.hear(b"x" * 1000)
    assert len(ear.finish()) == 65_000
