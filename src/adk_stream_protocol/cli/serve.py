"""Serving the demo: in this process, or in workers that a parent keeps alive."""

import os
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.cli.guarded import SERVER

# With what running tools are given before, less than ten seconds pass until a process is gone.
GRACEFUL_SECONDS = 2
LOOK_SECONDS = 0.2
DRAIN_SECONDS = 9.5
# A worker that fails sooner than that, by itself, would fail again.
YOUNG_SECONDS = 60.0


class DrainingServer(uvicorn.Server):
    """Ends the running turns first: uvicorn would wait for their streams, not the reverse.

    For a server that ends without a signal; with one, the application drains by itself.
    """

    def __init__(self, config: uvicorn.Config, chats: Chats) -> None:
        super().__init__(config)
        self._chats = chats

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._chats.close()
        await super().shutdown(sockets)


def serve(app: Starlette, max_body: int, sockets: list[socket.socket]) -> None:
    """Serve on these sockets until a signal ends it."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        ws_max_size=max_body,
        **SERVER,
    )
    DrainingServer(config, app.state.chats).run(sockets)


def serve_as_worker(app: Starlette, max_body: int, fds: list[int]) -> None:
    """Serve on sockets that a parent has opened, until a signal or the parent's end."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    serve(app, max_body, [socket.socket(fileno=fd) for fd in fds])


def _end_with_parent() -> None:
    """The parent holds the other end of standard input, also when it is killed."""
    # Not through `sys.stdin`: a thread that reads it at the end of the interpreter aborts that.
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    started: float

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself, and so soon that another would as well."""
        is_young = time.monotonic() < self.started + YOUNG_SECONDS
        return (self.process.returncode or 0) > 0 and is_young

    def close(self) -> None:
        """Close its standard input. A worker that lives takes that for the end of its parent."""
        if self.process.stdin:
            self.process.stdin.close()


class Supervisor:
    """Runs a command several times on the same sockets. What dies is replaced; SIGTERM drains all.

    A worker drains as well when it has no parent any more: nobody else would ever end it.
    """

    def __init__(self, command: list[str], sockets: list[socket.socket]) -> None:
        self._sockets = sockets
        self._fds = [each.fileno() for each in sockets]
        self._command = [*command, *(f"--fd={fd}" for fd in self._fds)]
        self._ending = threading.Event()
        self._workers: list[_Worker] = []

    def run(self, count: int) -> int:
        """Until a signal comes, or no worker can start; the code to exit with."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        self._workers = [self._start() for _ in range(count)]
        while not self._ending.wait(LOOK_SECONDS):
            self._replace()
        for worker in self._workers:
            worker.process.terminate()
        deadline = time.monotonic() + DRAIN_SECONDS
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            worker.close()
        for each in self._sockets:
            each.close()
        return int(any(worker.has_failed for worker in self._workers))

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ending.set()

    def _start(self) -> _Worker:
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, pass_fds=self._fds)
        return _Worker(process, time.monotonic())

    def _replace(self) -> None:
        for number, worker in enumerate(self._workers):
            if worker.process.poll() is not None:
                if worker.has_failed:
                    self._ending.set()
                    return
                worker.close()
                self._workers[number] = self._start()
