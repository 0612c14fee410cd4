"""Any agent, App or Runner as the Runner we need: resumable, gated, reading sessions once."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any, Literal

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.genai import types

from adk_stream_protocol.runtime.approval_gate import ApprovalGate
from adk_stream_protocol.runtime.approvals import Approvals
from adk_stream_protocol.runtime.live import LiveSettings
from adk_stream_protocol.runtime.live_model import live_copy
from adk_stream_protocol.runtime.sessions import TurnSessions
from adk_stream_protocol.runtime.telemetry import telemetry


def build_runner(
    target: BaseAgent | App | Runner,
    session_service: BaseSessionService | None,
    approvals: Approvals,
) -> Runner:
    """A Runner of our own; what the application passed in stays as it is."""
    if isinstance(target, Runner):
        return _adapt(target, session_service or target.session_service, approvals)
    if session_service is None:
        raise TypeError("an agent or App needs a session_service; a Runner brings its own")
    app = target if isinstance(target, App) else App(name=target.name, root_agent=target)
    runner = Runner(app=app, session_service=session_service)
    return _adapt(runner, session_service, approvals)


def _adapt(runner: Runner, session_service: BaseSessionService, approvals: Approvals) -> Runner:
    # Without resumability ADK calls the model on half-answered turns (google-adk 2.13).
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental; the floor in pyproject.toml knows
        resumability = ResumabilityConfig(is_resumable=True)
    plugins = [ApprovalGate(approvals), *runner.app.plugins]
    ours = copy.copy(runner)
    ours.app = runner.app.model_copy(
        update={"plugins": plugins, "resumability_config": resumability}
    )
    ours.resumability_config = resumability
    ours.plugin_manager = PluginManager(plugins=plugins)
    ours.session_service = TurnSessions(session_service)
    return ours


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How live chats are run."""

    model: BaseLlm | str | None = None
    """The model of live chats, where it is not the agent's own."""
    run_config: RunConfig | None = None
    calls: Literal["sequential", "parallel"] = "sequential"
    """Whether the model waits for a call that waits for a person, or goes on and calls more."""
    modality: Literal["audio", "text"] = "audio"
    """Whether the model speaks, and its words are taken from the transcription, or writes."""
    audio: bool = False
    """Whether the browser gets the model's voice, as `data-pcm` parts."""
    disconnect_grace: float = 30.0


def live_settings(
    runner: Runner, options: LiveOptions, client_tool_ttl: float
) -> LiveSettings | None:
    """What a Chat needs for live mode; None where the agent cannot be run live."""
    live = build_live_runner(runner, options.model)
    return live and LiveSettings(
        live,
        live_config(options.run_config, speaks=options.modality == "audio"),
        parallel=options.calls == "parallel",
        audio=options.audio,
        disconnect_grace=options.disconnect_grace,
        client_tool_ttl=client_tool_ttl,
    )


def build_live_runner(runner: Runner, model: BaseLlm | str | None) -> Runner | None:
    """The same for live chats; None where the agent cannot be one."""
    if not isinstance(runner.agent, BaseAgent):
        return None
    ours = copy.copy(runner)
    ours.agent = live_copy(runner.agent, model)
    ours.app = runner.app.model_copy(update={"root_agent": ours.agent})
    return ours


def live_config(run_config: RunConfig | None, *, speaks: bool) -> RunConfig:
    """What a live chat needs: transcripts to show, and a memory that outlives a lost link."""
    base = run_config or RunConfig()
    modality = types.Modality.AUDIO if speaks else types.Modality.TEXT
    missing: dict[str, Any] = {
        "response_modalities": [modality],
        "input_audio_transcription": types.AudioTranscriptionConfig(),
        "output_audio_transcription": types.AudioTranscriptionConfig(),
        "session_resumption": types.SessionResumptionConfig(),
        "telemetry": telemetry(),
    }
    given = base.model_fields_set
    update = {name: value for name, value in missing.items() if name not in given}
    return base.model_copy(update={"streaming_mode": StreamingMode.BIDI, **update})
