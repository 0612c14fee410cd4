"""The app that a chat is played against: made if need be, started without a server."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send

AppSource = ASGIApp | Callable[[], ASGIApp]


def is_app(source: AppSource) -> bool:
    """Return whether it is an app, and not a function that makes one."""
    return bool(inspect.signature(source).parameters)


def app_of(source: AppSource) -> ASGIApp:
    """Return the app itself, or what a function without parameters makes."""
    if is_app(source):
        return cast(ASGIApp, source)
    return cast(Callable[[], ASGIApp], source)()


@asynccontextmanager
async def started(app: ASGIApp) -> AsyncGenerator[ASGIApp]:
    """Start the app for requests; what its start-up keeps in the state is in theirs."""
    state: dict[str, object] = {}
    up: asyncio.Queue[Message] = asyncio.Queue()
    down: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": state}
    task = asyncio.create_task(_until_over(app, scope, up.get, down))

    async def ready(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": dict(state)}, receive, send)

    up.put_nowait({"type": "lifespan.startup"})
    try:
        answer = await down.get()
        if answer["type"] == "lifespan.startup.failed":
            raise RuntimeError(f"the app did not start: {answer.get('message', '')}")
        yield ready
    finally:
        up.put_nowait({"type": "lifespan.shutdown"})
        await task


async def _until_over(
    app: ASGIApp, scope: Scope, receive: Receive, down: asyncio.Queue[Message]
) -> None:
    try:
        await app(scope, receive, down.put)
    except Exception:
        # An app that does not know the lifespan protocol raises, which means that it is ready. One
        # that fails while it starts has said so first.
        down.put_nowait({"type": "lifespan.startup.complete"})
    else:
        down.put_nowait({"type": "lifespan.shutdown.complete"})
