"""Any agent, App or Runner becomes the Runner we need, and stays as it was."""

import pytest
from google.adk.apps.app import App
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_stream_protocol.adk.gate import ApprovalGate
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from tests.support.servers.in_process import clerk

SESSIONS = InMemorySessionService()


def book() -> ApprovalBook:
    return ApprovalBook(MemoryApprovalStore())


def targets() -> list[App | Runner]:
    app = App(name="shop", root_agent=clerk(), plugins=[BasePlugin("own")])
    return [app, Runner(app=app, session_service=SESSIONS)]


@pytest.mark.parametrize("target", targets(), ids=lambda target: type(target).__name__)
def test_the_gate_comes_first_and_the_applications_plugins_stay(target: App | Runner) -> None:
    runner = build_runner(target, SESSIONS, book())
    gate, own = runner.plugin_manager.plugins
    assert isinstance(gate, ApprovalGate) and own.name == "own"
    assert runner.app_name == "shop"
    assert runner.resumability_config and runner.resumability_config.is_resumable
    assert isinstance(runner.session_service, TurnSessions)
    assert runner.session_service.inner is SESSIONS


def test_an_agent_is_an_app_of_its_name() -> None:
    assert build_runner(clerk(), SESSIONS, book()).app_name == "clerk"


def test_what_was_passed_in_stays_as_it_is() -> None:
    theirs = Runner(app=App(name="shop", root_agent=clerk()), session_service=SESSIONS)
    ours = build_runner(theirs, None, book())
    assert theirs.session_service is SESSIONS and theirs.plugin_manager.plugins == []
    assert theirs.app.plugins == [] and theirs.resumability_config is None
    assert ours.agent is theirs.agent


def test_a_runner_may_be_given_another_store() -> None:
    theirs = Runner(app=App(name="shop", root_agent=clerk()), session_service=SESSIONS)
    other = InMemorySessionService()
    found = build_runner(theirs, other, book()).session_service
    assert isinstance(found, TurnSessions) and found.inner is other


def test_an_agent_needs_a_store() -> None:
    with pytest.raises(TypeError, match="needs a session_service"):
        build_runner(clerk(), None, book())
