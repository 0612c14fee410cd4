"""Checks what must be right before the demo listens: its model, its sink, its database, its Redis.

A server that is running outlives the loss of a store. A server that starts refuses one that was
never there, because it is more often mistyped than away.
"""

import asyncio
import sqlite3
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from google.adk.models.google_llm import Gemini
from google.adk.models.registry import LLMRegistry
from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from adk_stream_protocol.cli.settings import has_model_key, uses_vertex
from adk_stream_protocol.demo.app import DemoSettings
from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of
from adk_stream_protocol.demo.identity import load_secret
from adk_stream_protocol.demo.state import prepare_state, warn_if_open

ANSWER_SECONDS = 5.0
_DATABASES = "postgresql+asyncpg://user:password@host/name or sqlite+aiosqlite:///file.sqlite3"


def check(settings: DemoSettings) -> None:
    """Refuse what would fail later, in the order in which it is mended most easily."""
    check_values(settings)
    prepare_state(settings.state, settings.files)
    load_secret(settings.state)
    warn_if_open(settings.state)
    asyncio.run(_check_stores(settings))


def stored_approvals(settings: DemoSettings) -> str:
    """Return the address of the approval records that a demo has written."""
    if settings.database_url:
        _database(settings.database_url)
    url = make_url(settings.approvals_url)
    if not settings.database_url and not Path(url.database or "").exists():
        raise CannotStart(
            f"there are no approvals in {settings.state}; name the demo's folder with --state or"
            " ADK_STREAM_STATE"
        )
    asyncio.run(_check_database(url))
    return settings.approvals_url


def check_values(settings: DemoSettings) -> None:
    """Refuse what can be told without asking anybody."""
    _check_model("--model", settings.model)
    _check_model("--live-model", settings.live_model)
    _check_sink(settings.payment_sink_url)
    for origin in settings.allowed_origins:
        _check_origin(origin)
    if settings.database_url:
        _database(settings.database_url)


def _check_model(option: str, model: object) -> None:
    if not isinstance(model, str):
        return
    try:
        kind = LLMRegistry.resolve(model)
    except ValueError:
        raise CannotStart(
            f"{option} {model} names no model that ADK knows; name one such as gemini-2.5-flash,"
            " or leave it out for the scripted model"
        ) from None
    if issubclass(kind, Gemini) and not (has_model_key() or uses_vertex()):
        raise CannotStart(
            f"{option} {model} needs a key; set GOOGLE_API_KEY, or leave it out for the"
            " scripted model"
        )


def _check_sink(address: str | None) -> None:
    if address is None:
        return
    try:
        url = httpx.URL(address)
        fits = url.scheme in ("http", "https") and bool(url.host) and (url.port or 1) < 65_536
    except (httpx.InvalidURL, ValueError):
        fits = False
    if not fits:
        raise CannotStart(
            "PAYMENT_SINK_URL is not an address that can be posted to; write it as"
            " https://host/path, or unset it"
        )


def _check_origin(origin: str) -> None:
    try:
        found = urlsplit(origin)
        fits = bool(found.hostname) and origin == f"{found.scheme}://{found.netloc}"
        fits = fits and "@" not in found.netloc and (found.port or 1) > 0
    except ValueError:
        fits = False
    if not fits:
        raise CannotStart(
            f"ADK_STREAM_ALLOWED_ORIGINS holds {origin!r}, which is no origin; write it as"
            " https://host or https://host:port, without a path"
        )


def _database(address: str) -> URL:
    """Return the parsed address of a database with an asynchronous driver."""
    try:
        url = make_url(address)
        if url.get_dialect().is_async:
            create_async_engine(url)
            return url
    except ModuleNotFoundError as error:
        raise CannotStart(
            f"ADK_STREAM_DATABASE_URL needs the package {error.name}, which is not installed;"
            " for PostgreSQL install adk-stream-protocol[postgres]"
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError):
        pass
    raise CannotStart(
        "ADK_STREAM_DATABASE_URL is not an address with an asynchronous driver; write it as"
        f" {_DATABASES}, or unset it"
    )


async def _check_stores(settings: DemoSettings) -> None:
    for address in dict.fromkeys([settings.sessions_url, settings.approvals_url]):
        await _check_database(make_url(address))
    if settings.redis_url:
        await _check_redis(settings.redis_url)


async def _check_database(url: URL) -> None:
    """Ask for the tables: SQLite opens any file and looks into it with the first question."""
    tables = "sqlite_master" if url.drivername.startswith("sqlite") else "pg_catalog.pg_tables"
    engine = create_async_engine(url, hide_parameters=True)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await _ask(engine, f"SELECT 1 FROM {tables} LIMIT 1")
    except TimeoutError:
        raise _no_database(url, f"no answer within {ANSWER_SECONDS:g} s") from None
    except DBAPIError as error:
        if not _is_busy(error.orig):
            raise _no_database(url, reason_of(error.orig or error)) from None
    except Exception as error:  # every driver has types of its own
        raise _no_database(url, reason_of(error)) from None
    finally:
        await engine.dispose()


async def _ask(engine: AsyncEngine, question: str) -> None:
    async with engine.connect() as connection:
        await connection.execute(text(question))


def _is_busy(error: BaseException | None) -> bool:
    """Tell whether somebody else is writing: such a database is there."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


def _no_database(url: URL, reason: str) -> CannotStart:
    if url.drivername.startswith("sqlite"):
        return CannotStart(
            f"the database file {url.database} cannot be opened ({reason}); move it away for a"
            " new one, or name another place with --state or ADK_STREAM_DATABASE_URL"
        )
    where = url.render_as_string(hide_password=True)
    return CannotStart(
        f"the database {where} cannot be reached ({reason}); start it, or correct"
        " ADK_STREAM_DATABASE_URL"
    )


async def _check_redis(address: str) -> None:
    try:
        from adk_stream_protocol.cli.redis_check import check_redis  # for an extra
    except ModuleNotFoundError:
        raise CannotStart(
            "ADK_STREAM_REDIS_URL needs the package redis; install adk-stream-protocol[redis]"
        ) from None
    await check_redis(address, ANSWER_SECONDS)
