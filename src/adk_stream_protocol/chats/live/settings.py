"""Settings of live chats: the options of an application, and what a run is made of."""

from dataclasses import dataclass
from typing import Literal

from google.adk.agents.run_config import RunConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner

from adk_stream_protocol.adk.runner import build_live_runner, live_config


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """All that a live run is made of."""

    runner: Runner
    run_config: RunConfig
    parallel: bool = False
    audio: bool = False
    disconnect_grace: float = 30.0
    client_tool_ttl: float = 600.0


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """The options of an application for its live chats."""

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
    """Make what a Chat needs for live mode; None where the agent cannot be run live."""
    live = build_live_runner(runner, options.model)
    return live and LiveSettings(
        live,
        live_config(options.run_config or RunConfig(), speaks=options.modality == "audio"),
        parallel=options.calls == "parallel",
        audio=options.audio,
        disconnect_grace=options.disconnect_grace,
        client_tool_ttl=client_tool_ttl,
    )
