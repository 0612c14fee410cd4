"""The settings with which a client opens a live connection."""

from dataclasses import dataclass, replace

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.context.context import Context, declarations


@dataclass(frozen=True)
class LiveConfig:
    """The behaviour of the model on one connection."""

    context: Context
    speaks: bool
    transcribes_input: bool
    transcribes_output: bool
    calls_at_once: bool
    non_blocking: frozenset[str]
    parallel_calls: bool | None

    @classmethod
    def of(
        cls, request: LlmRequest, *, calls_at_once: bool, parallel_calls: bool | None
    ) -> "LiveConfig":
        """Read the settings in the request, and add the two that belong to the model."""
        config = request.live_connect_config
        told = (d for d in declarations(request) if d.behavior == types.Behavior.NON_BLOCKING)
        return cls(
            context=replace(Context.of(request), contents=()),
            speaks=types.Modality.TEXT not in (config.response_modalities or []),
            transcribes_input=config.input_audio_transcription is not None,
            transcribes_output=config.output_audio_transcription is not None,
            calls_at_once=calls_at_once,
            non_blocking=frozenset(declared.name or "" for declared in told),
            parallel_calls=parallel_calls,
        )

    def waits_for(self, name: str) -> bool:
        """Return whether the model makes no further call before this one is answered."""
        if self.parallel_calls is not None:
            return not self.parallel_calls
        return name not in self.non_blocking
