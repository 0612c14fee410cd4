"""The lines of the command: one per event, with fields, and nothing secret in them."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.cli.logs import FORMATS, JsonLines, TextLines
from adk_stream_protocol.cli.main import main
from tests.support.clients.http import RawChat, decision
from tests.support.servers.demo import free_port
from tests.support.servers.logged import LoggedDemo, lines_of

KEY = "AIza-not-a-real-key-c0ffee"


def record(message: str, error: Exception | None = None, **fields: Any) -> logging.LogRecord:
    failure = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("a.b", logging.INFO, "file", 1, message, (), failure)
    vars(made).update(fields)
    return made


def raised() -> Exception:
    try:
        _raise()
    except RuntimeError as error:
        return error
    raise AssertionError("it did not raise")


def _raise() -> None:
    try:
        json.loads("secret")
    except ValueError as error:
        raise RuntimeError("secret") from error


def test_a_json_line_has_the_fields_of_its_record() -> None:
    text = JsonLines(with_texts=False).format(record("turn\nended", chat_id="a\nb", seconds=1.5))
    assert "\n" not in text
    line = json.loads(text)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "a.b",
        "message": "turn\nended",
        "chat_id": "a\nb",
        "seconds": 1.5,
    }


def test_a_text_line_stays_one_line_and_its_fields_can_be_told_apart() -> None:
    made = record("turn\nended", chat_id='x tool="pay"\n', tool="pay", chunks=3)
    text = TextLines(with_texts=False).format(made)
    assert text == 'INFO a.b: turn\\nended chat_id="x tool=\\"pay\\"\\n" tool=pay chunks=3'


@pytest.mark.parametrize("lines", [JsonLines, TextLines])
def test_what_an_exception_says_is_for_debugging(lines: type[JsonLines | TextLines]) -> None:
    quiet = lines(with_texts=False).format(record("failed", raised()))
    assert "RuntimeError < JSONDecodeError" in quiet and "_raise (test_logs.py:" in quiet
    assert "secret" not in quiet
    loud = lines(with_texts=True).format(record("failed", raised()))
    assert "RuntimeError: secret" in loud and "\n" not in loud


@pytest.mark.processes
def test_the_command_writes_json_without_the_model_key(tmp_path: Path) -> None:
    server = LoggedDemo(
        tmp_path,
        ADK_STREAM_LOG_FORMAT="json",
        GOOGLE_API_KEY=KEY,
        GOOGLE_GEMINI_BASE_URL=f"http://127.0.0.1:{free_port()}",
        NO_PROXY="127.0.0.1",
    )
    server.arguments = ("--model", "gemini-2.5-flash")
    server.start()
    chat = RawChat(server.url, "alice")
    assert "model-unavailable" in chat.say("Where is my umbrella?").text
    server.stop()
    log, lines = server.log_file.read_text(), lines_of(server)
    events = [line for line in lines if line.get("chat_id") == chat.id]
    assert [line["message"] for line in events] == ["turn started", "turn ended"]
    assert events[1]["error"] == "model-unavailable"
    assert any(line["level"] == "error" and "exception" in line for line in lines)
    (draining,) = (line for line in lines if line["message"] == "worker draining")
    assert (draining["turns"], draining["live_sessions"]) == (0, 0)
    assert not [one for one in (KEY, "umbrella", "alice") if one in log]


@pytest.mark.processes
def test_the_command_writes_text_without_what_was_paid(tmp_path: Path) -> None:
    sink = f"http://127.0.0.1:{free_port()}/pay?key={KEY}"
    server = LoggedDemo(tmp_path, PAYMENT_SINK_URL=sink, NO_PROXY="127.0.0.1").start()
    chat = RawChat(server.url, "alice")
    reply = chat.say('/call process_payment {"amount": 86.43, "recipient": "Quorra"}')
    request = reply.approvals[0]
    assert chat.answer(decision(request, True, reason="plum season")).status == 200
    server.stop()
    log = server.log_file.read_text()
    said = [line for line in log.splitlines() if f"chat_id={chat.id}" in line]
    assert [line.split(": ")[1].split(" chat_id")[0] for line in said] == [
        "turn started",
        "approval requested",
        "turn ended",
        "turn started",
        "approval approved",
        "approval claimed",
        "approval done",
        "turn ended",
    ]
    assert not [one for one in (KEY, "86.43", "Quorra", "plum", "alice") if one in log]


def test_a_format_that_does_not_exist_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["adk-stream", "demo"])
    monkeypatch.setenv("ADK_STREAM_LOG_FORMAT", "xml")
    with pytest.raises(SystemExit):
        main()
    assert "ADK_STREAM_LOG_FORMAT is 'xml'; set it to text or json" in capsys.readouterr().err


LOOK = """
import logging
import adk_stream_protocol.cli.main
from opentelemetry import metrics, trace
own = logging.getLogger("adk_stream_protocol")
print(own.handlers, own.level, trace.get_tracer_provider(), metrics.get_meter_provider())
"""


@pytest.mark.processes
def test_importing_the_package_sets_nothing_up() -> None:
    """In a process of its own: in this one other tests have run the command."""
    found = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    handlers, level, *providers = found.stdout.split(maxsplit=2)
    assert (handlers, level) == ("[]", str(logging.NOTSET))
    assert providers[0].count(".Proxy") + providers[0].count("._Proxy") == 2, providers


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "mark", ["\u2028", "\u2029", "\u202e", "\u200b", "\x1b", "\n", "\x85", "\U000e0001"]
)
def test_nothing_ends_a_line_hides_or_turns_it_around(form: str, mark: str) -> None:
    record = logging.makeLogRecord({"msg": f"a{mark}b", "name": "n", "chat_id": f"c{mark}d"})
    line = FORMATS[form](with_texts=False).format(record)
    assert line.isprintable() and len(line.splitlines()) == 1
    assert "日本" in FORMATS[form](with_texts=False).format(logging.makeLogRecord({"msg": "日本"}))
