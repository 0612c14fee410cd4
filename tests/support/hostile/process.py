"""What can be seen of a server's process from outside."""

from pathlib import Path


def is_error(line: str) -> bool:
    """Whether a line of a log tells of a fault of the server's."""
    return line.startswith(("ERROR", "CRITICAL", "Traceback"))


def memory(pid: int) -> int:
    """How many kilobytes a process has in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
