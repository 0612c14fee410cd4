"""Asks whether a Redis answers, before the demo relies on it."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of


async def check_redis(address: str, seconds: float) -> None:
    """Refuse an address that is none, or that does not answer within these seconds."""
    redis = _client(address)
    try:
        async with asyncio.timeout(seconds):
            await redis.ping()
    except TimeoutError:
        raise _unreachable(address, f"no answer within {seconds:g} s") from None
    except (RedisError, OSError) as error:
        raise _unreachable(address, reason_of(error)) from None
    finally:
        await redis.aclose()


def _client(address: str) -> Any:
    try:
        return Redis.from_url(address, retry=Retry(NoBackoff(), 0))
    except ValueError:
        raise CannotStart(
            "ADK_STREAM_REDIS_URL is not an address of Redis; write it as redis://host:6379/0,"
            " or unset it"
        ) from None


def _unreachable(address: str, reason: str) -> CannotStart:
    found = urlsplit(address)
    where = f"{found.scheme}://{found.netloc.rpartition('@')[2]}{found.path}"
    return CannotStart(
        f"Redis at {where} cannot be reached ({reason}); start it, or correct ADK_STREAM_REDIS_URL"
    )
