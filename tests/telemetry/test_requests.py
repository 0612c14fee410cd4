"""Turns over HTTP: what is seen of the request, ADK's run, the gate, the wait and the browser."""

import threading

import pytest

from tests.support.clients.http import Json, RawChat, decision, output
from tests.support.servers.observed import ObservedServer, Telemetry
from tests.support.servers.observed_demo import SHORT

pytestmark = pytest.mark.processes

PAY = '/call process_payment {"amount": 12.5, "recipient": "Hanako"}'
TOOL = "process_payment"


def of(chat: RawChat) -> Json:
    return {"gen_ai__conversation__id": chat.id}


def asked(server: ObservedServer, text: str = PAY, prefix: str = "") -> tuple[RawChat, Json]:
    """A chat in which a call waits for a person."""
    chat = server.chat(prefix)
    return chat, chat.say(text).approvals[0]


def test_an_approved_call_is_two_traces_with_a_link(observed: ObservedServer) -> None:
    chat, request = asked(observed)
    assert chat.answer(decision(request, True)).said
    told = observed.telemetry()
    asking, going_on = told.named("turn", **of(chat))
    waited = told.one(f"await_approval {TOOL}", **of(chat))
    first, second = told.named(f"approval_gate {TOOL}", **of(chat))
    outcomes = [one.attributes["adk_stream.outcome"] for one in (asking, going_on, first, second)]
    assert outcomes == ["waiting", "done", "asked", "started"]
    assert asking.parent is None and going_on.parent is None
    for gate in (first, second):
        above = [name.partition(" ")[0] for name in told.parents(gate)]
        assert above == ["execute_tool", "invoke_agent", "invoke_workflow", "turn"]
    assert waited.trace == asking.trace != going_on.trace
    assert told.parents(waited)[-1] == "turn"
    assert waited.links == [going_on.id]
    assert going_on.links == [waited.parent], "where it was asked"
    assert waited.seconds[0] <= asking.seconds[1] <= waited.seconds[1]
    assert "approval approved" in going_on.events and "approval claimed" in second.events
    ids = {waited.attributes[name] for name in ("gen_ai.tool.call.id", "adk_stream.approval.id")}
    assert ids == {request["toolCallId"], request["approvalId"]}


def counted(told: Telemetry, outcome: str, tool: str = TOOL) -> tuple[float, float]:
    """How many calls ended so, and how many waits did."""
    which = {"gen_ai__tool__name": tool, "adk_stream__outcome": outcome}
    waits = told.number("adk_stream.approval.decision.duration", **which)
    return told.number("adk_stream.gated_calls", **which), waits


def open_now(told: Telemetry, tool: str = TOOL) -> float:
    return told.number("adk_stream.open_approvals", gen_ai__tool__name=tool)


def test_what_becomes_of_gated_calls_is_counted(observed: ObservedServer) -> None:
    before = observed.telemetry()
    approved, request = asked(observed)
    assert open_now(observed.telemetry()) == open_now(before) + 1
    approved.answer(decision(request, True))
    denied, request = asked(observed)
    denied.answer(decision(request, False))
    left, _ = asked(observed)
    left.say("hello")
    now = observed.telemetry()
    assert open_now(now) == open_now(before)
    grown = {
        outcome: tuple(
            a - b for a, b in zip(counted(now, outcome), counted(before, outcome), strict=True)
        )
        for outcome in ("done", "approved", "denied", "cancelled")
    }
    assert grown == {"done": (1, 0), "approved": (0, 1), "denied": (1, 1), "cancelled": (1, 1)}
    wait = now.one(f"await_approval {TOOL}", **of(denied))
    assert wait.attributes["adk_stream.outcome"] == "denied"


def test_a_request_that_expires_waited_until_then(observed: ObservedServer) -> None:
    chat, request = asked(observed, '/call hurried {"recipient": "Hanako"}', "/short")
    observed.until(lambda _: not observed.get("/short/api/approvals").json()["approvals"])
    assert chat.answer(decision(request, True, "hurried")).status == 410
    told = observed.telemetry()
    wait = told.one("await_approval hurried", **of(chat), adk_stream__outcome="expired")
    assert counted(told, "expired", "hurried") == (1, 1)
    assert open_now(told, "hurried") == 0
    began, ended = (float(one[17:-1]) for one in wait.seconds)
    assert round((ended - began) % 60, 3) == SHORT, "not until somebody looked"
    refused = told.one("turn", **of(chat), adk_stream__outcome="refused")
    assert refused.links == [], "it goes on with nothing"


def test_a_tool_that_fails(observed: ObservedServer) -> None:
    chat = observed.chat("/short")
    reply = chat.say('/call failing {"recipient": "Quince Account"}')
    assert "failed" in chat.answer(decision(reply.approvals[0], True, "failing")).text
    told = observed.telemetry()
    assert counted(told, "failed", "failing")[0] == 1
    line = next(line for line in observed.log() if line.get("exception") == "ValueError")
    assert "failing (observed_demo.py:" in line["at"]
    assert "Quince" not in told.text + observed.log_file.read_text()


def test_a_turn_that_fails_has_its_code_and_no_more(observed: ObservedServer) -> None:
    chat = observed.chat()
    reply = chat.say("/error 429")
    told = observed.telemetry()
    turn = told.one("turn", **of(chat))
    assert (turn.status, turn.attributes["error.type"]) == ("ERROR", "model-busy")
    assert turn.attributes["adk_stream.turn.reference"] in reply.text
    started, ended = (one for one in observed.log(chat.id) if one["message"].startswith("turn"))
    assert started["turn"] == ended["turn"] == turn.attributes["adk_stream.turn.reference"]
    assert (ended["outcome"], ended["error"]) == ("failed", "model-busy")
    assert ended["chunks"] == turn.attributes["adk_stream.turn.chunks"] == len(reply.chunks)


def test_a_browser_call(observed: ObservedServer) -> None:
    chat = observed.chat()
    call = chat.say('/call change_bgm {"track": 2}').calls[0]
    assert chat.answer(output(call, {"success": True, "track": 2}, "change_bgm")).said
    told = observed.telemetry()
    asking, going_on = told.named("turn", **of(chat))
    ran = told.one("browser_call change_bgm", **of(chat))
    assert ran.attributes["adk_stream.outcome"] == "done"
    assert ran.trace == asking.trace and going_on.links == [ran.parent]
    assert ran.links == [going_on.id]
    assert told.number("adk_stream.browser_call.duration", gen_ai__tool__name="change_bgm") >= 1


def test_a_browser_that_does_not_answer(observed: ObservedServer) -> None:
    chat = observed.chat("/short")
    call = chat.say("/call position {}").calls[0]

    messages = f"/short/api/chat/{chat.id}/messages"
    observed.until(lambda _: "expired" in observed.get(messages).text)
    assert chat.answer(output(call, {}, "position")).status in (409, 410)
    ran = observed.telemetry().one("browser_call position", **of(chat))
    assert ran.attributes["adk_stream.outcome"] == "expired"


def test_a_resumed_turn_is_replayed_and_a_stopped_one_says_so(observed: ObservedServer) -> None:
    chat = observed.chat()
    before = observed.telemetry().number("adk_stream.replayed_chunks")
    talking = threading.Thread(target=chat.say, args=("/say 3\n/hang 60",))
    talking.start()
    own = f"/api/chat/{chat.id}"
    observed.until(lambda told: told.number("adk_stream.active_turns") == 1)
    with observed.client() as client, client.stream("GET", f"{own}/stream") as resumed:
        assert resumed.status_code == 200
        next(resumed.iter_lines())
        observed.until(lambda told: told.number("adk_stream.replayed_chunks") > before)
        assert client.post(f"{own}/stop").json() == {"stopped": True}
    talking.join(30)
    told = observed.until(lambda told: told.number("adk_stream.active_turns") == 0)
    assert told.one("turn", **of(chat)).attributes["adk_stream.outcome"] == "stopped"
