"""Silences of the scripted model that a test ends by their name."""

import asyncio

from adk_stream_protocol.testing import holds


async def test_a_silence_lasts_until_its_name_is_released() -> None:
    waiting = asyncio.create_task(holds.until_released("first"))
    other = asyncio.create_task(holds.until_released("second"))
    await asyncio.sleep(0)
    holds.release("first")
    async with asyncio.timeout(60):
        await waiting
    assert not other.done()
    other.cancel()
    await asyncio.wait([other])


async def test_a_name_that_was_released_before_keeps_nobody_silent() -> None:
    holds.release("early")
    async with asyncio.timeout(60):
        await holds.until_released("early")
