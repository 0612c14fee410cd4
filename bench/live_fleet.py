"""The live servers of a run, and the load that is sent to them."""

from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, Self

from bench.children import Children, ask, heap, stop
from bench.fleet import COLLECT, FORGET

WARM_UP = ["text 20", "speech 5", "text 5"]


@dataclass(frozen=True)
class Slice:
    """What one burst of turns cost."""

    seconds: float
    cpu: float
    deltas: int
    messages: int


@dataclass(frozen=True)
class Server:
    """A server, and the dialect in which it is talked to."""

    name: str
    dialect: str


class LiveFleet:
    """Starts each server on first use and ends them all; one load process serves the whole run."""

    def __init__(self) -> None:
        self._children = Children()
        self._ports: dict[str, tuple[int, int]] = {}
        self._load = self._children.start("bench.live_load")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._children.__exit__(*error)

    def burst(self, server: Server, streams: list[list[str]]) -> Slice:
        """Run all streams at once, each on a socket of its own that has been used before."""
        if server.name not in self._ports:
            self._ports[server.name] = self._start(server.name)
            self.burst(server, [WARM_UP])
        pid, port = self._ports[server.name]
        _visit(port, FORGET)
        return Slice(**self._tell("burst", server, port, pid=pid, streams=streams))

    def idle(self, server: Server, count: int, script: str | None) -> float:
        """Return the KB that each idle socket adds to a fresh server, after one turn or none."""
        child, pid, port = self._fresh(server.name)
        self._hold(server, port, 20, script)
        _visit(port, COLLECT)
        before = heap(pid)
        still_open = self._hold(server, port, count, script)
        _visit(port, COLLECT)
        after = heap(pid)
        self._tell("let go", server, port)
        stop(child)
        if still_open < count + 20:
            raise RuntimeError(f"{server.name}: sockets were closed while idle")
        return (after - before) / count

    def crowd(self, server: Server, idle: int, streams: int, scripts: list[str]) -> dict[str, int]:
        """Run streams beside idle sockets; return the deltas and the faults of all of them."""
        child, _, port = self._fresh(server.name)
        self._hold(server, port, idle, "count 2", careful=True)
        found = self._tell("crowd", server, port, streams=streams, scripts=scripts)
        self._tell("let go", server, port)
        stop(child)
        return found

    def _hold(
        self, server: Server, port: int, count: int, script: str | None, *, careful: bool = False
    ) -> int:
        fields = {"count": count, "script": script, "careful": careful}
        return self._tell("hold", server, port, **fields)["open"]

    def _start(self, name: str) -> tuple[int, int]:
        child = self._children.start("bench.live_servers", name)
        return child.pid, int(child.stdout.readline())

    def _fresh(self, name: str) -> tuple[Any, int, int]:
        child = self._children.start("bench.live_servers", name, "plain")
        return child, child.pid, int(child.stdout.readline())

    def _tell(self, do: str, server: Server, port: int, **fields: Any) -> dict:
        return ask(self._load, {"do": do, "port": port, "dialect": server.dialect, **fields})


def _visit(port: int, path: str) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    if connection.getresponse().status != 200:
        raise RuntimeError(f"{path} failed")
    connection.close()
