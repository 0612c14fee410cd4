"""What the command is told: by its environment, and by arguments that several sub-commands share.

Nothing else reads the environment for itself. `recording/stand_in/environment.py` leads
google-genai to another address, through the variables that google-genai reads.
"""

import argparse
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

from starlette.types import ASGIApp
from uvicorn.importer import ImportFromStringError, import_from_string

from adk_stream_protocol.cli.logs import FORMATS
from adk_stream_protocol.demo.app import LOOPBACK, DemoSettings
from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of
from adk_stream_protocol.recording.player.app import AppSource
from adk_stream_protocol.recording.stand_in.environment import BASE_URL, VERTEX

LEVELS = ("warning", "debug", "info", "error", "critical")
MAX_BODY = 2**30
YEAR = 366 * 86_400
MAX_GRACE = 86_400
MAX_EVENTS = 1_000_000
_SERVICE = "https://generativelanguage.googleapis.com"


def add_app(parser: argparse.ArgumentParser) -> None:
    """Add the argument for an app named as `module:attribute`."""
    parser.add_argument(
        "--app",
        metavar="MODULE:ATTRIBUTE",
        help="an ASGI app of yours, or a function that makes one; the demo without it",
    )


def load_source(name: str) -> AppSource:
    """Import the app of `--app`, also from the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return cast(ASGIApp, import_from_string(name))
    except ImportFromStringError as error:
        raise CannotStart(f"--app {name} cannot be loaded: {reason_of(error)}") from None


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a type for `add_argument` that refuses what is not between these two."""

    def parse(given: str) -> int:
        try:
            value = int(given)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{given!r} is not a whole number from {least} to {most}"
            )
        return value

    return parse


PORT = whole_number(0, 65_535)


def log_level(given: str) -> str:
    """Be a type for `add_argument`: the name of a level."""
    if given.lower() not in LEVELS:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {_either(*LEVELS)}")
    return given.lower()


def default_state() -> Path:
    """Return the folder of the demo's state where no argument names one."""
    return Path(_env("STATE", ".state"))


def log_settings() -> tuple[str, str]:
    """Return the level of log lines, and their format."""
    return _one_of("LOG_LEVEL", *LEVELS), _one_of("LOG_FORMAT", *FORMATS)


def has_model_key() -> bool:
    """Tell whether there is a key for the Gemini API."""
    return any(os.environ.get(name) for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"))


def uses_vertex() -> bool:
    """Tell whether google-genai would call Vertex AI."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in VERTEX)


def model_service() -> str:
    """Return the address of the model's service."""
    return os.environ.get(BASE_URL) or _SERVICE


def settings_of(arguments: argparse.Namespace) -> DemoSettings:
    """Return the demo's settings: from arguments where there is one, else from the environment."""
    return DemoSettings(
        state=arguments.state,
        model=getattr(arguments, "model", None),
        live_model=getattr(arguments, "live_model", None),
        live_calls=_live_calls(),
        disconnect_grace=_number("DISCONNECT_GRACE", 30.0, 0, MAX_GRACE),
        database_url=_env("DATABASE_URL", "") or None,
        redis_url=_env("REDIS_URL", "") or None,
        payment_sink_url=os.environ.get("PAYMENT_SINK_URL") or None,
        users=_names("DEMO_USERS", "alice,bob,carol"),
        allowed_origins=_names("ALLOWED_ORIGINS", ""),
        allowed_hosts=_hosts(getattr(arguments, "host", "127.0.0.1")),
        max_body=_whole("MAX_BODY", 10 * 1024 * 1024, 1, MAX_BODY),
        approval_ttl=_number("APPROVAL_TTL", 600.0, 0, YEAR),
        client_tool_ttl=_number("CLIENT_TOOL_TTL", 600.0, 0, YEAR),
        recent_events=_whole("RECENT_EVENTS", 0, 0, MAX_EVENTS) or None,
    )


def _hosts(host: str) -> tuple[str, ...]:
    """Return the names of this server: those of loopback, what `--host` says, and what is added."""
    added = _names("ALLOWED_HOSTS", "")
    is_any = host in ("", "0.0.0.0", "::")
    own = socket.gethostname() if is_any else f"[{host}]" if ":" in host else host
    return tuple(dict.fromkeys((*LOOPBACK, own, *added)))


def _env(name: str, default: str) -> str:
    """Return a variable; an empty one counts as unset, as `NAME=` of a container means it."""
    return os.environ.get(f"ADK_STREAM_{name}") or default


def _number(name: str, default: float, least: float, most: float) -> float:
    given = _env(name, str(default))
    try:
        value = float(given)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:  # false of NaN as well
        raise _wrong(name, f"a number from {least} to {most}")
    return value


def _whole(name: str, default: int, least: int, most: int) -> int:
    try:
        return whole_number(least, most)(_env(name, str(default)))
    except argparse.ArgumentTypeError:
        raise _wrong(name, f"a whole number from {least} to {most}") from None


def _live_calls() -> Literal["sequential", "parallel"]:
    value = _one_of("LIVE_CALLS", "sequential", "parallel")
    return "parallel" if value == "parallel" else "sequential"


def _one_of(name: str, default: str, *others: str) -> str:
    value = _env(name, default).lower()
    if value not in (default, *others):
        raise _wrong(name, _either(default, *others))
    return value


def _either(*values: str) -> str:
    *first, last = values
    return f"{', '.join(first)} or {last}"


def _wrong(name: str, expected: str) -> CannotStart:
    given = os.environ[f"ADK_STREAM_{name}"][:40]
    return CannotStart(f"ADK_STREAM_{name} is {given!r}; set it to {expected}, or unset it")


def _names(name: str, default: str) -> tuple[str, ...]:
    given = os.environ.get(f"ADK_STREAM_{name}", default)  # an empty one names nobody
    return tuple(part.strip() for part in given.replace("|", ",").split(",") if part.strip())
