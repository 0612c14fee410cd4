"""A PostgreSQL server of the tests' own: Debian's package, a folder and a port for this run."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from tests.support.servers.demo import free_port

_NOT_FOR_POWER = "-c fsync=off -c full_page_writes=off"
"""Processes are killed here, and no machine: what was written is in the system's memory."""


class PostgresServer:
    """Started with an empty database cluster; `url` is for SQLAlchemy with asyncpg."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._log = folder / "log"
        self._bin = _programs()
        self.port = free_port()
        self.url = f"postgresql+asyncpg://postgres@127.0.0.1:{self.port}/postgres"
        _hand_to_postgres(folder)

    def start(self) -> "PostgresServer":
        user = ["-U", "postgres", "-A", "trust", "-E", "UTF8"]
        self._run("initdb", "-D", self._data, "--no-sync", *user)
        options = f"-p {self.port} -k {self._data} -c listen_addresses=127.0.0.1 {_NOT_FOR_POWER}"
        self._run("pg_ctl", "-D", self._data, "-l", self._log, "-o", options, "-w", "start")
        return self

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [self._bin / program, *arguments]
        if os.geteuid() == 0:  # PostgreSQL does not run as root
            command = [shutil.which("runuser") or "runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=120)


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    assert found, "PostgreSQL is missing; scripts/install-postgres installs it"
    return found[-1]


def _hand_to_postgres(folder: Path) -> None:
    if os.geteuid() != 0:
        return
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    for parent in folder.parents:  # somebody's folder for such things may be closed to others
        if parent.stat().st_uid == 0 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o111)
