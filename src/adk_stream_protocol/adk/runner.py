"""Any agent, App or Runner as the Runner we need: resumable, gated, reading sessions once; and
that one again for live chats. With them, the settings of a run in either mode.

Each is a shallow copy of a Runner in which public attributes are set anew, so that a class of the
application's own stays what it is. That works while a Runner keeps nothing that is made of them: a
test lists what it keeps (google-adk 2.13).
"""

import copy
import warnings
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.telemetry import TelemetryConfig
from google.adk.telemetry.context import ContentCapturingMode
from google.genai import types

from adk_stream_protocol.adk.gate import ApprovalGate
from adk_stream_protocol.adk.live_model import live_copy
from adk_stream_protocol.adk.private import has_telemetry
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.convert.events import with_notes
from adk_stream_protocol.convert.history.exchanges import MESSAGE_ID, USER_MESSAGE_ID

# One shared config means the same as none and spares ADK a rebuild per delta (google-adk 2.13).
AS_CONFIGURED = TelemetryConfig()
UNHEARD = TelemetryConfig(
    genai_semconv_stability_opt_in="stable",
    capture_message_content=ContentCapturingMode.NO_CONTENT,
    adk_experimental_telemetry_opt_in=False,
)


class Plugins(PluginManager):
    """The gate, and an application's plugins. The gate has no business with pieces of a stream."""

    async def run_on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        """Spare a partial event the way to the gate where there is no other plugin."""
        if event.partial and len(self.plugins) == 1:
            return None
        return await super().run_on_event_callback(
            invocation_context=invocation_context, event=event
        )


def build_runner(
    target: BaseAgent | App | Runner,
    session_service: BaseSessionService | None,
    approvals: ApprovalBook,
) -> Runner:
    """Build a Runner of our own; what the application passed in stays as it is."""
    if isinstance(target, Runner):
        return _adapt(target, session_service or target.session_service, approvals)
    if session_service is None:
        raise TypeError("an agent or App needs a session_service; a Runner brings its own")
    app = target if isinstance(target, App) else App(name=target.name, root_agent=target)
    runner = Runner(app=app, session_service=session_service)
    return _adapt(runner, session_service, approvals)


def _adapt(runner: Runner, session_service: BaseSessionService, approvals: ApprovalBook) -> Runner:
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
    ours.plugin_manager = Plugins(plugins=plugins)
    ours.session_service = TurnSessions(session_service)
    return ours


def build_live_runner(runner: Runner, model: BaseLlm | str | None) -> Runner | None:
    """Return the runner for live chats, on this model where one is given.

    Return None if the root is a node that is no agent: such a one cannot be run live.
    """
    if not isinstance(runner.agent, BaseAgent):
        return None
    ours = copy.copy(runner)
    ours.agent = live_copy(runner.agent, model)
    ours.app = runner.app.model_copy(update={"root_agent": ours.agent})
    return ours


def request_config(
    base: RunConfig, message_id: str | None, user_message_id: str | None
) -> RunConfig:
    """Make the settings of one request run. Each of its events stores the ids of its messages."""
    names = {MESSAGE_ID: message_id, USER_MESSAGE_ID: user_message_id}
    notes = {name: value for name, value in names.items() if value}
    update: dict[str, Any] = {"custom_metadata": with_notes(base.custom_metadata, notes)}
    if base.telemetry is None:
        update["telemetry"] = telemetry()
    return base.model_copy(update=update)


def live_config(base: RunConfig, *, speaks: bool) -> RunConfig:
    """Add what a live chat needs: transcripts to show, and a memory that outlives a lost link."""
    modality = types.Modality.AUDIO if speaks else types.Modality.TEXT
    missing: dict[str, Any] = {
        "response_modalities": [modality],
        "input_audio_transcription": types.AudioTranscriptionConfig(),
        "output_audio_transcription": types.AudioTranscriptionConfig(),
        "session_resumption": types.SessionResumptionConfig(),
        "context_window_compression": types.ContextWindowCompressionConfig(
            sliding_window=types.SlidingWindow()
        ),
        "telemetry": telemetry(),
    }
    given = base.model_fields_set
    update = {name: value for name, value in missing.items() if name not in given}
    return base.model_copy(update={"streaming_mode": StreamingMode.BIDI, **update})


def telemetry() -> TelemetryConfig:
    """Return what is configured, once anybody has set up OpenTelemetry; the cheapest before."""
    return AS_CONFIGURED if has_telemetry() else UNHEARD
