"""Chats that nobody comes back to leave nothing behind in the process that served them."""

import asyncio
from typing import Any

from tests.support.clients.crowd import KINDS, SECONDS, census, come_and_go
from tests.support.servers.counted import KEPT

CHATS = 5_000
WARM_UP = 600
LIMIT = CHATS // len(KINDS)
"""One object for each chat of one kind. The last chats in the stores differ by some hundred."""
OURS = ("adk_stream_protocol.chats.", "adk_stream_protocol.transports.")


async def at_rest(port: int, tasks: int = 0) -> dict[str, Any]:
    """What the server holds once it has no more to do than it had."""
    async with asyncio.timeout(SECONDS):
        found = await census(port)
        while tasks and found["tasks"] > tasks:
            await asyncio.sleep(0.1)
            found = await census(port)
    return found


async def pass_by(port: int, begin: int, count: int) -> None:
    """A crowd; then a few one after the other, so that the stores end with the same."""
    await come_and_go(port, begin, count, at_once=16)
    await come_and_go(port, begin + count, KEPT, at_once=1)


async def test_abandoned_chats_leave_the_process_where_it_was(port: int) -> None:
    idle = await at_rest(port)
    await pass_by(port, 0, WARM_UP)
    before = await at_rest(port, idle["tasks"])
    await pass_by(port, 10 * CHATS, CHATS)
    after = await at_rest(port, idle["tasks"])
    more = {
        kind: count - before["kinds"].get(kind, 0)
        for kind, count in after["kinds"].items()
        if count != before["kinds"].get(kind)
    }
    assert after["tasks"] == idle["tasks"]
    assert not {kind: count for kind, count in more.items() if kind.startswith(OURS) and count > 0}
    # Of one kind: what is left of the last chats is a little of many kinds.
    assert max(more.values(), default=0) < LIMIT, sorted(more.items(), key=lambda one: -one[1])[:20]
    assert after["entries"] - before["entries"] < LIMIT
