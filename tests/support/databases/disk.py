"""A small disk of the test's own, that can be full or read-only."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import mortal_demo


class Disk:
    """A mounted tmpfs. Needs root, as the rest of the set-up does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        mortal_demo.fill_disk(self.folder)

    def free(self) -> None:
        (self.folder / mortal_demo.FILLER).unlink()

    def allow_writing(self, allowed: bool) -> None:
        """Only while nobody has a file open for writing."""
        _run("mount", "-o", f"remount,{'rw' if allowed else 'ro'}", str(self.folder))


@contextmanager
def small_disk(folder: Path) -> Generator[Disk]:
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", "size=8m", "adk-stream-test", str(folder))
    try:
        yield Disk(folder)
    finally:
        _run("umount", "--lazy", str(folder))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=60)
