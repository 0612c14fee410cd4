"""Child processes that end with the run: servers, and the loads that are sent to them."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import orjson


class Children:
    """Starts modules as children and ends them all."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, *module: str) -> subprocess.Popen:
        """Start a module of the bench."""
        child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", *module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._stack.callback(stop, child)
        return child


def ask(child: subprocess.Popen, command: dict) -> dict:
    """Send a command to a load process and return its answer."""
    child.stdin.write(orjson.dumps(command) + b"\n")
    child.stdin.flush()
    answer = child.stdout.readline()
    if not answer:
        raise RuntimeError("the load process ended; its message is above")
    return orjson.loads(answer)


def stop(child: subprocess.Popen) -> None:
    """End a child."""
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far, to the nanosecond, over all its threads."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def heap(pid: int) -> float:
    """Return the memory that a process has for itself, in KB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return float(line.split()[1])
    raise RuntimeError("no such line in smaps_rollup")
