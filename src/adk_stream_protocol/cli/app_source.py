"""An app named on the command line as `module:attribute`."""

import argparse
import sys
from pathlib import Path
from typing import cast

from starlette.types import ASGIApp
from uvicorn.importer import ImportFromStringError, import_from_string

from adk_stream_protocol.recording.replay_file import AppSource


def add_app(parser: argparse.ArgumentParser) -> None:
    """The argument for it."""
    parser.add_argument(
        "--app",
        metavar="MODULE:ATTRIBUTE",
        help="an ASGI app of yours, or a function that makes one; the demo without it",
    )


def load_source(name: str) -> AppSource:
    """Import it, also from the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return cast(ASGIApp, import_from_string(name))
    except ImportFromStringError as error:
        raise SystemExit(f"--app {name}: {error}") from None
