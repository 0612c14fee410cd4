"""What a live run is made of, where the application leaves it to us."""

from typing import Any

import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.models.google_llm import Gemini
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from adk_stream_protocol.chats.live.settings import LiveOptions, LiveSettings, live_settings

MODEL, LIVE_MODEL = "gemini-2.5-flash", "gemini-3.1-flash-live-preview"
ROOM = {"async_client_args": {"max_queue": 4096, "max_size": 16 * 2**20}}


def settings(agent: LlmAgent, **options: Any) -> LiveSettings:
    app = App(name="app", root_agent=agent)
    runner = Runner(app=app, session_service=InMemorySessionService())
    found = live_settings(runner, LiveOptions(**options), 600)
    assert found is not None
    return found


def model_of(found: LiveSettings) -> Gemini:
    agent = found.runner.agent
    assert isinstance(agent, LlmAgent) and isinstance(agent.model, Gemini)
    return agent.model


def test_live_chats_have_a_model_of_their_own() -> None:
    agent = LlmAgent(name="root", model=MODEL)
    assert model_of(settings(agent, model=LIVE_MODEL)).model == LIVE_MODEL
    assert agent.model == MODEL


def test_or_the_agents() -> None:
    assert model_of(settings(LlmAgent(name="root", model=LIVE_MODEL))).model == LIVE_MODEL


@pytest.mark.parametrize(
    ("own", "options"),
    [
        (MODEL, {"model": LIVE_MODEL}),
        (MODEL, {"model": Gemini(model=LIVE_MODEL)}),
        (LIVE_MODEL, {}),
        (Gemini(model=LIVE_MODEL), {}),
    ],
    ids=["named", "given", "the agent's", "the agent's object"],
)
def test_the_socket_to_the_model_has_room(own: str | Gemini, options: dict[str, Any]) -> None:
    model = model_of(settings(LlmAgent(name="root", model=own), **options))
    assert model.client_kwargs == {"http_options": ROOM}
    given = [one for one in (own, options.get("model")) if isinstance(one, Gemini)]
    assert all(one.client_kwargs is None for one in given)


def test_what_the_application_says_of_the_socket_stands() -> None:
    own = Gemini(model=LIVE_MODEL, client_kwargs={"http_options": {"timeout": 5}})
    model = model_of(settings(LlmAgent(name="root", model=own)))
    assert model.client_kwargs == {"http_options": {"timeout": 5}}
    keyed = Gemini(model=LIVE_MODEL, client_kwargs={"api_key": "not-a-key"})
    model = model_of(settings(LlmAgent(name="root", model=keyed)))
    assert model.client_kwargs == {"api_key": "not-a-key", "http_options": ROOM}


@pytest.mark.parametrize(
    ("modality", "word"), [("audio", types.Modality.AUDIO), ("text", types.Modality.TEXT)]
)
def test_what_a_chat_needs_is_on(modality: str, word: types.Modality) -> None:
    config = settings(LlmAgent(name="root", model=LIVE_MODEL), modality=modality).run_config
    assert config.response_modalities == [word]
    assert config.input_audio_transcription == types.AudioTranscriptionConfig()
    assert config.output_audio_transcription == types.AudioTranscriptionConfig()
    assert config.session_resumption == types.SessionResumptionConfig()
    window = types.ContextWindowCompressionConfig(sliding_window=types.SlidingWindow())
    assert config.context_window_compression == window


def test_what_the_application_sets_stands() -> None:
    given = RunConfig(context_window_compression=None, session_resumption=None)
    agent = LlmAgent(name="root", model=LIVE_MODEL)
    config = settings(agent, run_config=given).run_config
    assert (config.context_window_compression, config.session_resumption) == (None, None)
    assert config.output_audio_transcription == types.AudioTranscriptionConfig()
