"""Names this process, and tells whether a process that started a call is still there."""

import os
import socket
from pathlib import Path


def this_process() -> str:
    """host, process id and start time: unlike the id alone, never used twice."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}"


def is_gone(holder: str | None) -> bool:
    """Whether the holder is certain not to come back. Of another host that is never certain."""
    if holder is None:
        return True
    host, pid, started = holder.rsplit(":", 2)
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return _started(int(pid)) != started


def is_of_this_host(holder: str | None) -> bool:
    """Whether this host can tell if the holder lives."""
    return holder is not None and holder.rsplit(":", 2)[0] == socket.gethostname()


def _started(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return _alive_without_proc(pid)
    fields = stat.rpartition(")")[2].split()
    return "gone" if fields[0] in "ZX" else fields[19]  # dead, though nobody has reaped it yet


def _alive_without_proc(pid: int) -> str:
    if Path("/proc/self").exists():
        return "gone"
    try:
        os.kill(pid, 0)
    except OSError:
        return "gone"
    return "running"
