"""`adk-stream approvals` on the records that a server left behind."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.clients.http import RawChat, decision
from tests.support.servers.demo import COMMAND, DemoServer

pytestmark = pytest.mark.processes


def approvals(state: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "approvals", *arguments, "--state", state]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_list_show_and_export_tell_the_whole_story(tmp_path: Path) -> None:
    server = DemoServer(tmp_path).start()
    try:
        chat = RawChat(server.url, user="alice")
        paid = chat.say("Send $5 to Bob").approvals[0]
        chat.answer(decision(paid, True))
        denied = chat.say("Send $6 to Bob").approvals[0]
        chat.answer(decision(denied, False, reason="too‮much"))
    finally:
        server.stop()

    table = approvals(tmp_path, "list").stdout.splitlines()
    assert table[0].split() == ["CREATED", "STATE", "TOOL", "ASKED", "BY", "DECIDED", "BY", "ID"]
    assert [line.split()[1:] for line in table[1:]] == [
        ["denied", "process_payment", "alice", "alice", denied["approvalId"]],
        ["done", "process_payment", "alice", "alice", paid["approvalId"]],
    ]
    assert len(approvals(tmp_path, "list", "--only", "done").stdout.splitlines()) == 2

    shown = approvals(tmp_path, "show", denied["approvalId"]).stdout
    assert '"amount":6' in shown and "too⟨U+202E⟩much" in shown

    trail = [json.loads(line) for line in approvals(tmp_path, "export").stdout.splitlines()]
    assert [(line["event"], line["state"]) for line in trail] == [
        ("request", "pending"),
        ("approve", "approved"),
        ("claim", "executing"),
        ("result", "done"),
        ("request", "pending"),
        ("deny", "denied"),
    ]
    assert {line["tool"] for line in trail} == {"process_payment"}
    assert {line["actor"] for line in trail if line["event"] in ("approve", "deny")} == {"alice"}
    assert len({line["digest"] for line in trail}) == 2


def test_an_unknown_id_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "approvals.sqlite3").touch()
    answer = approvals(tmp_path, "show", "nope")
    assert (answer.returncode, answer.stderr) == (1, "There is no approval nope.\n")
