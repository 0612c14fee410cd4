"""The two commands as users start them: record against a service, replay with none."""

import asyncio
import json
import subprocess
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import (
    Exchange,
    Scenario,
    SocketScenario,
    Turn,
    load,
)
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import wire_file
from tests.support.gemini.fixtures import KEY
from tests.support.servers.demo import COMMAND
from tests.support.servers.real_models import NetworkSocket
from tests.support.servers.recorder import RecordProcess, run_command

TOKEN = "a-bearer-token-of-carol"
COOKIE = "a-cookie-of-another-site"
HEADERS = {"authorization": f"Bearer {TOKEN}", "cookie": f"session={COOKIE}"}
CARD = "4000-1234-5678-9010"
METHOD = "streamGenerateContent"
ABOUT = ["--about", "A chat of a test."]


def text(words: str, **more: str) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": words}]}, **more}]}


def leaking() -> Scenario:
    """A model that repeats what it should not, and not in one piece."""
    part = {"type": "text", "text": f"My card is {CARD}, my token {TOKEN}."}
    client: Json = {"messages": [{"id": "u1", "role": "user", "parts": [part]}]}
    rest = text(f"{KEY[9:]}, cookie {COOKIE}.", finishReason="STOP")
    answer = Exchange({"method": METHOD}, frames=[text(f"Key {KEY[:9]}"), rest])
    return Scenario("", "", [Turn(client, [answer])])


def without_history(name: str) -> Scenario:
    """A scenario that does not mind what was said before it."""
    scenario = wire_file(f"http/{name}").load(Scenario)
    for exchange in (one for turn in scenario.turns for one in turn.model):
        exchange.request = {"method": METHOD}
    return scenario


def replay(*files: Path) -> tuple[int, str]:
    command = [COMMAND, "replay", *files]
    done = subprocess.run(command, capture_output=True, timeout=120, text=True)
    return done.returncode, done.stdout


def record_over_http(service: GeminiServer, folder: Path) -> Path:
    """A chat over HTTP: words, the weather, a payment that is approved, a browser tool."""
    file = folder / "http.json"
    redact = ["--redact", r"\d{4}-\d{4}-\d{4}-\d{4}"]
    with RecordProcess(file, service, *ABOUT, *redact, ADK_STREAM_DEMO_USERS=TOKEN) as process:
        asyncio.run(talk_over_http(process.url, service))
        assert process.stop() == 0
        turns = [line for line in process.said() if line.startswith("turn ")]
    assert len(turns) == 7
    return file


async def talk_over_http(url: str, service: GeminiServer) -> None:
    names = ["weather", "payment-approved", "location-approved-then-found"]
    async with httpx.AsyncClient(
        base_url=url, headers=HEADERS, timeout=60, trust_env=False
    ) as client:
        for scenario in [leaking(), *map(without_history, names)]:
            chat = HttpChat(client, scenario, service, chat_id="chat")
            for turn in scenario.turns:
                chunks, _ = await chat.play(turn)
                assert chat.names.differences(turn.chunks or chunks, chunks) == []


def record_over_the_socket(service: GeminiServer, folder: Path) -> Path:
    """A payment over the socket; the command stops by itself when it has both turns."""
    file = folder / "socket.json"
    turns = ["--turns", "2"]
    with RecordProcess(file, service, *ABOUT, *turns, ADK_STREAM_DEMO_USERS=TOKEN) as process:
        asyncio.run(talk_over_the_socket(process.url, service))
        assert process.wait() == 0
        assert process.said()[-1] == f"2 turns in {file}"
    return file


async def talk_over_the_socket(url: str, service: GeminiServer) -> None:
    scenario = wire_file("socket/payment-approved-2.5").load(SocketScenario)
    play = service.play(Play(Names(), connections=scenario.connections))
    address = url.replace("http", "ws") + "/live"
    async with connect(address, proxy=None, additional_headers=HEADERS) as connection:
        chat = SocketChat(NetworkSocket(connection), play, "chat")
        for turn in scenario.turns:
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks) == []


def check_replay(files: list[Path], printed: pytest.CaptureFixture[str]) -> None:
    assert run_command("replay", *files) == 0
    assert printed.readouterr().out == f"{files[0]}: OK\n{files[1]}: OK\n2 of 2 OK\n"


def check_difference(over_http: Path, over_the_socket: Path) -> None:
    content = json.loads(over_http.read_text(encoding="utf-8"))
    chunks = content["turns"][3]["chunks"]
    (place,) = (n for n, one in enumerate(chunks) if one["type"] == "tool-output-available")
    chunks[place]["output"]["wallet_balance"] = 900
    altered = over_http.with_name("altered.json")
    altered.write_text(json.dumps(content), encoding="utf-8")
    status, said = replay(altered, over_the_socket)
    where = f"turn 4: chunks[{place}].output.wallet_balance: expected 900, got 950"
    assert status == 1
    assert said.splitlines()[:2] == [f"{altered}: DIFFERENT", f"  {where}"]
    assert said.splitlines()[-2:] == [f"{over_the_socket}: OK", "1 of 2 OK"]


def check_secrets(over_http: Path, over_the_socket: Path) -> None:
    for file in (over_http, over_the_socket):
        content = file.read_text(encoding="utf-8")
        for secret in (KEY, TOKEN, COOKIE, CARD, KEY[9:], "authorization", "x-goog-api-key"):
            assert secret not in content, f"{file.name}: {secret}"
    scenario = load(over_http, Scenario)
    said = "".join(chunk.get("delta", "") for chunk in scenario.turns[0].chunks)
    assert said == f"Key {'*' * len(KEY)}, cookie {'*' * len(COOKIE)}."


# One test, not four: all of it is about the same two recordings, which take their time.
@pytest.mark.processes
def test_a_chat_is_recorded_and_replayed(
    service: GeminiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    over_http = record_over_http(service, tmp_path)
    over_the_socket = record_over_the_socket(service, tmp_path)
    check_secrets(over_http, over_the_socket)
    check_replay([over_http, over_the_socket], capsys)
    check_difference(over_http, over_the_socket)


REFUSED = [
    ([], "the scripted model has no wire to record;"),
    (["--model", "gemini-2.5-flash"], "the model needs GOOGLE_API_KEY"),
    (["--model", "gemini-2.5-flash", "--app", "shop:app"], "an app has its own models"),
]


@pytest.mark.parametrize(("arguments", "reason"), REFUSED)
def test_what_cannot_be_recorded_is_said_at_once(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    assert run_command("record", tmp_path / "new.json", *arguments) == 2
    assert reason in capsys.readouterr().err
