"""What a live connection asks for."""

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.live.config import LiveConfig


def request(**settings: object) -> LlmRequest:
    slow = types.FunctionDeclaration(name="slow", behavior=types.Behavior.NON_BLOCKING)
    tools = [types.Tool(function_declarations=[slow, types.FunctionDeclaration(name="fast")])]
    made = LlmRequest(config=types.GenerateContentConfig(tools=list(tools)))
    made.live_connect_config = types.LiveConnectConfig.model_validate(settings)
    return made


def test_a_model_speaks_unless_text_is_asked_for() -> None:
    spoken = LiveConfig.of(request(), calls_at_once=True, parallel_calls=None)
    assert (spoken.speaks, spoken.transcribes_input, spoken.transcribes_output) == (
        True,
        False,
        False,
    )
    written = request(response_modalities=["TEXT"], input_audio_transcription={})
    config = LiveConfig.of(written, calls_at_once=True, parallel_calls=None)
    assert not config.speaks and config.transcribes_input


@pytest.mark.parametrize(
    ("parallel", "waits"), [(None, [False, True]), (True, [False, False]), (False, [True, True])]
)
def test_the_model_waits_for_blocking_tools(parallel: bool | None, waits: list[bool]) -> None:
    config = LiveConfig.of(request(), calls_at_once=True, parallel_calls=parallel)
    assert [config.waits_for(name) for name in ("slow", "fast")] == waits
