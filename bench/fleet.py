"""The HTTP servers of a run, and the load that is sent to them."""

import uuid
from dataclasses import dataclass
from statistics import median
from typing import Self
from urllib.request import urlopen

import orjson

from bench.children import Children, ask, cpu, heap
from bench.model import APP_NAME

FORGET, COLLECT = "/bench/forget", "/bench/collect"
SOAKED = "this project, soaked"


@dataclass(frozen=True)
class Slice:
    """What one burst of requests cost."""

    seconds: float
    cpu: float
    first: float
    chunks: int


@dataclass(frozen=True)
class Request:
    """One user message: a script for the model, in a chat of its own unless one is named."""

    script: str
    chat: str = ""
    user: str = "user"


class Fleet:
    """Starts each server on first use and ends them all; one load process serves the whole run."""

    def __init__(self) -> None:
        self._children = Children()
        self._servers: dict[str, tuple[int, int]] = {}
        self._load = self._children.start("bench.load")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._children.__exit__(*error)

    def burst(self, server: str, streams: list[list[Request]], *, fresh: bool = True) -> Slice:
        """Send all streams at once, each one's requests in order; measure the server meanwhile.

        A fresh burst finds no sessions of earlier ones.
        """
        pid, port = self._server(server)
        if fresh:
            ask(self._load, {"port": port, "path": FORGET, "streams": [[("", "")]]})
        path = "/run_sse" if server == "ADK /run_sse" else "/api/chat"
        bodies = [[(each.user, _body(server, each)) for each in stream] for stream in streams]
        before = cpu(pid)
        answer = ask(self._load, {"port": port, "path": path, "streams": bodies})
        return Slice(
            seconds=answer["seconds"],
            cpu=cpu(pid) - before,
            first=median(answer["first"]),
            chunks=sum(answer["chunks"]),
        )

    def held(self, server: str) -> tuple[float, int]:
        """Return what a server holds once its sessions are forgotten: KB, and blocks in use."""
        pid, port = self._server(server)
        with urlopen(f"http://127.0.0.1:{port}{FORGET}", timeout=60) as answer:
            blocks = int(answer.read().removeprefix(b"data: "))
        return heap(pid), blocks

    def _server(self, name: str) -> tuple[int, int]:
        if name not in self._servers:
            child = self._children.start("bench.servers", name)
            self._servers[name] = child.pid, int(child.stdout.readline())
            self.burst(name, [[Request("text 20"), Request("tools 2")] * 3])
        return self._servers[name]


def _body(server: str, request: Request) -> str:
    chat = request.chat or uuid.uuid4().hex
    if server == "ADK /run_sse":
        body = {
            "appName": APP_NAME,
            "userId": request.user,
            "sessionId": chat,
            "streaming": True,
            "newMessage": {"role": "user", "parts": [{"text": request.script}]},
        }
    elif server == "ag-ui-adk":
        body = {
            "threadId": chat,
            "runId": uuid.uuid4().hex,
            "state": {},
            "tools": [],
            "context": [],
            "forwardedProps": {},
            "messages": [{"id": "u1", "role": "user", "content": request.script}],
        }
    else:
        parts = [{"type": "text", "text": request.script}]
        body = {
            "id": chat,
            "messages": [{"id": "u1", "role": "user", "parts": parts}],
            "trigger": "submit-message",
        }
    return orjson.dumps(body).decode()
