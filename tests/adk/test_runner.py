"""A Runner of our own is made from a copy of the application's, which stays as it is."""

from collections import Counter
from typing import Any

import pytest
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from adk_stream_protocol.adk.runner import Plugins, build_live_runner, build_runner
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.testing import ScriptedModel

SERVICES = {"artifact_service", "credential_service", "memory_service"}
AS_GIVEN = {"app_name", "auto_create_session", "context_cache_config", *SERVICES}
SET_ANEW = {"agent", "app", "plugin_manager", "resumability_config", "session_service"}
OF_THE_APPLICATION = {"_agent_origin_app_name", "_agent_origin_dir", "_app_name_alignment_hint"}


def agent() -> LlmAgent:
    return LlmAgent(name="clerk", model="gemini-x")


def runner() -> Runner:
    return InMemoryRunner(app=App(name="shop", root_agent=agent()))


def book() -> ApprovalBook:
    return ApprovalBook(MemoryApprovalStore(), ttl=60)


def test_a_runner_keeps_nothing_that_is_made_of_what_is_set_anew() -> None:
    """If ADK adds an attribute, see whether a copy may share it."""
    kept = set(vars(Runner(app=runner().app, session_service=InMemorySessionService())))
    assert kept == AS_GIVEN | SET_ANEW | OF_THE_APPLICATION


def test_the_applications_runner_stays_as_it_is() -> None:
    given = runner()
    before: dict[str, Any] = dict(vars(given))
    ours = build_runner(given, None, book())
    live = build_live_runner(ours, None)
    assert vars(given) == before and live is not None
    assert given.app.plugins == [] and given.app.resumability_config is None


def test_ours_is_resumable_and_gated_and_of_the_same_class() -> None:
    given = runner()
    ours = build_runner(given, None, book())
    assert type(ours) is InMemoryRunner and ours.agent is given.agent
    assert ours.resumability_config and ours.resumability_config.is_resumable
    assert ours.app.resumability_config == ours.resumability_config
    assert [plugin.name for plugin in ours.plugin_manager.plugins] == ["adk_stream_approval_gate"]
    assert isinstance(ours.session_service, TurnSessions)
    assert ours.session_service.inner is given.session_service


def test_an_agent_or_app_needs_a_session_service() -> None:
    with pytest.raises(TypeError, match="session_service"):
        build_runner(agent(), None, book())
    built = build_runner(agent(), InMemorySessionService(), book())
    assert built.app_name == "clerk"


def test_the_live_runner_has_agents_of_its_own() -> None:
    ours = build_runner(runner(), None, book())
    live = build_live_runner(ours, None)
    assert live is not None and isinstance(live.agent, BaseAgent)
    assert live.agent is not ours.agent and live.app.root_agent is live.agent
    assert live.plugin_manager is ours.plugin_manager
    assert live.session_service is ours.session_service


class Listener(BasePlugin):
    """Counts the events that reach a plugin, by whether they are pieces of a stream."""

    def __init__(self) -> None:
        super().__init__("listener")
        self.seen: Counter[bool] = Counter()

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        self.seen[bool(event.partial)] += 1
        return None


async def test_a_plugin_alone_is_spared_the_pieces_of_a_stream() -> None:
    listener = Listener()
    clerk = LlmAgent(name="clerk", model=ScriptedModel())
    ours = Runner(
        app=App(name="shop", root_agent=clerk),
        session_service=InMemorySessionService(),
        auto_create_session=True,
    )
    ours.plugin_manager = Plugins(plugins=[listener])
    said = types.Content(role="user", parts=[types.Part(text="/say 3")])
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    pieces = [
        event.partial
        async for event in ours.run_async(
            user_id="u", session_id="s", new_message=said, run_config=config
        )
    ]
    assert pieces.count(True) > 1
    assert listener.seen[True] == 0 and listener.seen[False] > 0
