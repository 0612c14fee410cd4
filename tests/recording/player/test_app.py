"""The app of a replay: given or made, and started as a server would start it."""

from typing import NoReturn

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from adk_stream_protocol.recording.player.app import app_of, is_app, started


class App:
    """Keeps what happens to it; fails at its start, or knows no lifespan, if it is told so."""

    def __init__(self, failure: str | None = None, *, knows_lifespan: bool = True) -> None:
        self.seen: list[str] = []
        self._failure = failure
        self._knows_lifespan = knows_lifespan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            self.seen.append(scope["state"].get("ready", "bare"))
            return
        assert self._knows_lifespan
        self.seen.append((await receive())["type"])
        scope["state"]["ready"] = "with state"
        if self._failure is not None:
            await send({"type": "lifespan.startup.failed", "message": self._failure})
            return
        await send({"type": "lifespan.startup.complete"})
        self.seen.append((await receive())["type"])


async def call(app: ASGIApp) -> None:
    async def nothing(*_: object) -> NoReturn:
        raise AssertionError("no message is expected")

    await app({"type": "http"}, nothing, nothing)


async def test_requests_come_between_start_and_end() -> None:
    app = App()
    async with started(app) as ready:
        await call(ready)
    assert app.seen == ["lifespan.startup", "with state", "lifespan.shutdown"]


async def test_an_app_without_a_lifespan_is_ready() -> None:
    app = App(knows_lifespan=False)
    async with started(app) as ready:
        await call(ready)
    assert app.seen == ["bare"]


async def test_an_app_that_cannot_start_says_why() -> None:
    with pytest.raises(RuntimeError, match="the app did not start: no database"):
        async with started(App("no database")):
            raise AssertionError("it has started")


def test_an_app_is_told_from_a_function_that_makes_one() -> None:
    app = App()
    assert is_app(app) and app_of(app) is app
    assert not is_app(lambda: app) and app_of(lambda: app) is app
