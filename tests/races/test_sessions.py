"""Arguments that a database gives back in another form are still the approved ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import SqlApprovalStore
from tests.support.databases.database import Database
from tests.support.servers.without_network import Served, agent

VALUES: list[Any] = [
    5,
    5.0,
    0.1,
    -0.0,
    1e-7,
    1e15,
    1e16,
    123456789012345678901234567890,
    1e22,
    True,
    None,
    "日本 é e\u0301 \u202e 😀 \\u0041 \n",
    {"b": [1, 2.50, {"z": 1, "a": None}], "a": {"é": "ü"}},
]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_an_approved_call_runs_whatever_the_store_makes_of_its_numbers(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    ran: list[Any] = []

    def act(value: Any) -> dict[str, bool]:
        """Do it."""
        ran.append(value)
        return {"ok": True}

    async with Database(kind, tmp_path, request) as url:
        sessions, store = DatabaseSessionService(url), SqlApprovalStore(url)
        tool = FunctionTool(act, require_confirmation=True)
        served = Served(agent(tool), session_service=sessions, approval_store=store)
        wrong: list[Any] = []
        for value in VALUES:
            asked = await served.say(f"/call act {json.dumps({'value': value})}")
            reply = await served.answer(asked.approvals, True)
            if ran != [value] or not reply.of_type("tool-output-available"):
                wrong.append((value, list(ran), reply.of_type("tool-output-error")))
            ran.clear()
        states = [record.state.value for record in await store.listed(None, 100)]
        await store.close()
        await sessions.close()
    assert not wrong, wrong
    assert states == ["done"] * len(VALUES)
