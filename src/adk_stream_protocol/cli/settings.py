"""What the command is told: by its environment, and by arguments that several sub-commands share.

Nothing else reads the environment for itself. `recording/stand_in/environment.py` leads
google-genai to another address, through the variables that google-genai reads.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Literal, cast

from starlette.types import ASGIApp
from uvicorn.importer import ImportFromStringError, import_from_string

from adk_stream_protocol.cli.logs import FORMATS
from adk_stream_protocol.demo.app import DemoSettings
from adk_stream_protocol.recording.player.app import AppSource
from adk_stream_protocol.recording.stand_in.environment import BASE_URL, VERTEX

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
        raise SystemExit(f"--app {name}: {error}") from None


def default_state() -> Path:
    """Return the folder of the demo's state where no argument names one."""
    return Path(_env("STATE", ".state"))


def log_settings() -> tuple[str, str]:
    """Return the level of log lines, and their format."""
    return _env("LOG_LEVEL", "warning").lower(), _one_of("LOG_FORMAT", *FORMATS)


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
        disconnect_grace=float(_env("DISCONNECT_GRACE", "30")),
        database_url=_env("DATABASE_URL", "") or None,
        redis_url=_env("REDIS_URL", "") or None,
        payment_sink_url=os.environ.get("PAYMENT_SINK_URL") or None,
        users=_names("DEMO_USERS", "alice,bob,carol"),
        allowed_origins=_names("ALLOWED_ORIGINS", ""),
        max_body=int(_env("MAX_BODY", str(10 * 1024 * 1024))),
        approval_ttl=float(_env("APPROVAL_TTL", "600")),
        client_tool_ttl=float(_env("CLIENT_TOOL_TTL", "600")),
        recent_events=int(_env("RECENT_EVENTS", "0")) or None,
    )


def _env(name: str, default: str) -> str:
    return os.environ.get(f"ADK_STREAM_{name}", default)


def _live_calls() -> Literal["sequential", "parallel"]:
    value = _env("LIVE_CALLS", "sequential")
    if value == "sequential" or value == "parallel":
        return value
    raise SystemExit(f"ADK_STREAM_LIVE_CALLS: sequential or parallel is expected, not {value!r}")


def _one_of(name: str, default: str, *others: str) -> str:
    value = _env(name, default)
    if value in (default, *others):
        return value
    raise SystemExit(f"ADK_STREAM_{name}: {' or '.join((default, *others))} is expected")


def _names(name: str, default: str) -> tuple[str, ...]:
    return tuple(
        part.strip() for part in _env(name, default).replace("|", ",").split(",") if part.strip()
    )
