"""The demo's state folder. What is in it is for its owner alone."""

import logging
import os
from collections.abc import Iterable
from pathlib import Path

from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of

logger = logging.getLogger(__name__)

_OTHERS = 0o077


def prepare_state(folder: Path, files: Iterable[Path]) -> None:
    """Make the folder (0700) and the database files (0600), unless they are there.

    A file that others may read is closed to them. A folder is not: it may hold more than the
    demo's state, and `warn_if_open` says how to close it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in files:
            _make_private(file)
    except OSError as error:
        reason = f"{_reason(error)}: {error.filename or folder}"
        raise CannotStart(
            f"the state folder {folder} cannot be used ({reason});"
            " name a folder that you can write to, with --state or ADK_STREAM_STATE"
        ) from None


def warn_if_open(folder: Path) -> None:
    """Say how to close a folder that others can look into."""
    if folder.stat().st_mode & _OTHERS:
        logger.warning("others can look into the state folder; chmod 700 %s closes it", folder)


def _reason(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "not a folder"
    return reason_of(error)


def _make_private(file: Path) -> None:
    # SQLite gives the files that it puts beside a database the mode of the database.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    for existing in file.parent.glob(f"{file.name}*"):
        if existing.stat().st_mode & _OTHERS:
            existing.chmod(0o600)
