"""How long a decision takes from the worker that gets it to the live call that waits on another."""

import asyncio
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import httpx
from websockets.asyncio.client import ClientConnection, connect

from bench.children import stop
from bench.report import Bars, heading, progress, row
from bench.slices import Spread

ROUNDS = 30
LIMIT_MS = 100
PAY = '/call process_payment {"amount": 1, "recipient": "bench"}'


def run(bars: Bars) -> None:
    """Measure with two workers, SQLite and a Redis of its own; a machine without one is told so."""
    heading("Two workers: from a decision on one to the payment of the call on the other, ms")
    redis = shutil.which("redis-server")
    if redis is None or find_spec("redis") is None:
        row("not measured", "Redis is not installed")
        return
    progress("two workers")
    with closing(Sink()) as sink, _workers(redis, sink.url) as (here, there):
        for name, past_the_chat in (("POST /api/approvals", True), ("POST /api/chat", False)):
            found = asyncio.run(_measure(here, there, sink, past_the_chat))
            row(name, Spread.of(found), f"at most {max(found):.1f}")
            bars.at_most(
                f"decision to a wait elsewhere, {name}", Spread.of(found), LIMIT_MS, unit="ms"
            )


async def _measure(here: int, there: int, sink: "Sink", past_the_chat: bool) -> list[float]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{there}", timeout=30) as client:
        async with connect(f"ws://127.0.0.1:{here}/live", compression=None) as live:
            chat = f"bench-{past_the_chat}"
            return [await _round(live, client, chat, sink, past_the_chat) for _ in range(ROUNDS)]


async def _round(
    live: ClientConnection, client: httpx.AsyncClient, chat: str, sink: "Sink", past_the_chat: bool
) -> float:
    """Milliseconds from the decision to the payment that the call makes when it goes on."""
    message = {"id": "u", "role": "user", "parts": [{"type": "text", "text": PAY}]}
    send = {"type": "send", "requestId": "r", "id": chat, "messages": [message]}
    await live.send(json.dumps(send))
    request: dict = {}
    while (frame := json.loads(await live.recv()))["type"] != "end":
        if frame.get("chunk", {}).get("type") == "tool-approval-request":
            request = frame["chunk"]
    begun = time.perf_counter()
    if past_the_chat:
        path, body = f"/api/approvals/{request['approvalId']}", {"approved": True}
    else:
        path, body = "/api/chat", _answer(request, chat)
    (await client.post(path, json=body)).raise_for_status()
    paid = await asyncio.to_thread(sink.arrivals.get, timeout=30)
    if past_the_chat:
        while json.loads(await live.recv())["type"] != "turn":
            pass
        await _read(live, chat)
    return (paid - begun) * 1000


class Sink:
    """Notes when payments arrive."""

    def __init__(self) -> None:
        self.arrivals: queue.Queue[float] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        arrivals = self.arrivals

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                arrivals.put(time.perf_counter())
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return None

        return Handler

    def close(self) -> None:
        """Take no more."""
        self._server.shutdown()
        self._server.server_close()


async def _read(live: ClientConnection, chat: str) -> None:
    await live.send(json.dumps({"type": "resume", "requestId": "s", "id": chat}))
    while json.loads(await live.recv())["type"] not in ("end", "no-active"):
        pass


def _answer(request: dict, chat: str) -> dict:
    part = {
        "type": "tool-process_payment",
        "toolCallId": request["toolCallId"],
        "state": "approval-responded",
        "input": {},
        "approval": {"id": request["approvalId"], "approved": True},
    }
    message = {"id": "m", "role": "assistant", "parts": [part]}
    return {"id": chat, "messages": [message], "messageId": "m"}


@contextmanager
def _workers(redis: str, sink_url: str) -> Iterator[tuple[int, int]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stores, *ports = (_free_port() for _ in range(3))
        options = ["--port", str(stores), "--save", "", "--dir", str(folder)]
        _start(stack, [redis, *options], {})
        command = [Path(sys.executable).with_name("adk-stream"), "demo", "--state", folder]
        url = f"redis://127.0.0.1:{stores}/0"
        environment = {"ADK_STREAM_REDIS_URL": url, "PAYMENT_SINK_URL": sink_url}
        for port in ports:
            _start(stack, [*command, "--port", str(port)], environment)
        for port in ports:
            _wait(port)
        yield ports[0], ports[1]


def _start(stack: ExitStack, command: list, environment: dict[str, str]) -> None:
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(command, env=os.environ | environment, stdout=quiet, stderr=quiet)
    stack.callback(stop, child)


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("a worker did not become ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
