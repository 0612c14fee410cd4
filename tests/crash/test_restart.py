"""A conversation and what is pending in it survive the end of the server, asked for or not."""

from pathlib import Path

import httpx
import pytest

from tests.support.clients.http import RawChat, Reply, decision, output
from tests.support.servers.demo import DemoServer

PLACE = {"latitude": 35.68, "longitude": 139.76, "accuracy": 12, "timestamp": 1}


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_an_approval_survives_a_restart(tmp_path: Path, end: str) -> None:
    server = DemoServer(tmp_path).start()
    chat = RawChat(server.url)
    chat.say("hello")
    request = chat.say("Send $5 to Bob").approvals[0]
    getattr(server, end)()
    server.start()
    try:
        reply = chat.answer(decision(request, True))
        assert reply.of_type("tool-output-available")[0]["output"]["success"] is True
        assert [c["role"] for c in chat.context()["contents"]][:2] == ["user", "model"]
    finally:
        server.stop()


def test_pattern_b_survives_a_restart_at_each_step(tmp_path: Path) -> None:
    server = DemoServer(tmp_path).start()
    chat = RawChat(server.url)
    request = chat.say("Where am I?").approvals[0]
    server.kill()
    server.start()
    go = chat.answer(decision(request, True, "get_location"))
    assert go.types == ["start", "tool-input-available", "finish"]
    server.kill()
    server.start()
    try:
        approval = {"id": request["approvalId"], "approved": True}
        part = output(request["toolCallId"], PLACE, "get_location", approval=approval)
        assert "35.68" in chat.answer(part).said
    finally:
        server.stop()


def test_an_overdue_answer_is_410_and_the_model_is_told(tmp_path: Path) -> None:
    server = DemoServer(tmp_path, ADK_STREAM_APPROVAL_TTL="0", ADK_STREAM_CLIENT_TOOL_TTL="0")
    server.start()
    try:
        chat = RawChat(server.url)
        request = chat.say("Send $5 to Bob").approvals[0]
        assert chat.answer(decision(request, True)).status == 410
        assert chat.answer(decision(request, True)).status == 410
        assert "expired" in str(chat.context()["contents"])
        call = chat.say("Change the BGM to track 2").calls[0]
        result = {"success": True, "track": 2}
        assert chat.answer(output(call, result, "change_bgm")).status == 410
    finally:
        server.stop()


def test_sigterm_ends_a_running_stream_properly(tmp_path: Path) -> None:
    server = DemoServer(tmp_path).start()
    body = {"id": "c", "message": {"role": "user", "content": "/say 2\n/hang 60"}}
    with httpx.stream("POST", f"{server.url}/api/chat", json=body, timeout=60) as answer:
        pieces = answer.iter_text()
        text = next(pieces)
        server.stop()
        text += "".join(pieces)
    reply = Reply(answer.status_code, text)
    assert reply.types[0] == "start" and reply.types[-1] == "finish"
