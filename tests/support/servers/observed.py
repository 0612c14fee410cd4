"""What a server process has told: its spans, its metrics and its log."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.support.clients.http import Json, RawChat
from tests.support.servers.demo import DemoServer

TOKEN = "tok-5e0f91aa-plum"
"""The bearer token, which is the name of the user in the demo."""
SECONDS = 60.0


class Span(NamedTuple):
    """A span that has ended."""

    name: str
    trace: str
    id: str
    parent: str | None
    attributes: Json
    links: list[str]
    """The ids of the spans that it is linked to."""
    events: list[str]
    status: str
    seconds: tuple[str, str]


class Telemetry:
    """Everything told so far."""

    def __init__(self, told: Json) -> None:
        self.text = json.dumps(told)
        self.spans = [_span(one) for one in told["spans"]]
        self._metrics = told["metrics"]

    def named(self, name: str, **attributes: Any) -> list[Span]:
        """The spans of a name with these attributes, `.` written as `__`; oldest first."""
        wanted = {key.replace("__", "."): value for key, value in attributes.items()}
        return [one for one in self.spans if one.name == name and _has(one.attributes, wanted)]

    def one(self, name: str, **attributes: Any) -> Span:
        found = self.named(name, **attributes)
        assert len(found) == 1, f"{name}: {[(one.name, one.attributes) for one in self.spans]}"
        return found[0]

    def parents(self, span: Span) -> list[str]:
        """The names of the spans that a span stands under, innermost first."""
        by_id = {one.id: one for one in self.spans}
        names: list[str] = []
        while span.parent:
            span = by_id[span.parent]
            names.append(span.name)
        return names

    def number(self, name: str, **attributes: Any) -> float:
        """The value of a counter, or how many values a histogram has."""
        wanted = {key.replace("__", "."): value for key, value in attributes.items()}
        points = [point for point in self._points(name) if _has(point["attributes"], wanted)]
        return sum(point.get("count", point.get("value", 0)) for point in points)

    def _points(self, name: str) -> list[Json]:
        return [
            point
            for resource in self._metrics.get("resource_metrics", ())
            for scope in resource["scope_metrics"]
            for metric in scope["metrics"]
            if metric["name"] == name
            for point in metric["data"]["data_points"]
        ]


def _has(attributes: Json, wanted: Json) -> bool:
    return all(attributes.get(key) == value for key, value in wanted.items())


def _span(told: Json) -> Span:
    return Span(
        told["name"],
        told["context"]["trace_id"],
        told["context"]["span_id"],
        told["parent_id"],
        told["attributes"],
        [link["context"]["span_id"] for link in told["links"]],
        [event["name"] for event in told["events"]],
        told["status"]["status_code"],
        (told["start_time"], told["end_time"]),
    )


class ObservedServer(DemoServer):
    """`tests.support.servers.observed_demo` as a process, and what it tells."""

    def start(self) -> "ObservedServer":
        place = ["--port", str(self.port), "--state", str(self.state), "--user", TOKEN]
        self.log_file = self.state / f"log-{self.port}"
        with self.log_file.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.servers.observed_demo", *place],
                env={**os.environ, **self._environment},
                cwd=Path(__file__).parents[3],
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self._wait_until_ready()
        return self

    def chat(self, prefix: str = "") -> RawChat:
        return RawChat(self.url + prefix, TOKEN)

    def client(self) -> httpx.Client:
        headers = {"authorization": f"Bearer {TOKEN}"}
        return httpx.Client(base_url=self.url, headers=headers, verify=False, timeout=SECONDS)

    def get(self, path: str) -> httpx.Response:
        with self.client() as client:
            return client.get(path)

    def telemetry(self) -> Telemetry:
        return Telemetry(self.get("/telemetry").json())

    def log(self, chat: str | None = None) -> list[Json]:
        """The lines of the log, or those of a chat."""
        lines = [json.loads(line) for line in self.log_file.read_text().splitlines()]
        return [line for line in lines if chat is None or line.get("chat_id") == chat]

    def until(self, condition: Callable[[Telemetry], object]) -> Telemetry:
        """The telemetry, once it is as it should be."""
        deadline = time.monotonic() + SECONDS
        while not condition(told := self.telemetry()):
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.05)
        return told

    def stop(self) -> int:
        return self._end(signal.SIGTERM)
