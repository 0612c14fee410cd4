"""Health: whether this process lives, and whether it can serve a chat now."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adk_stream_protocol.chats.chats import Chats

logger = logging.getLogger(__name__)

PROBE_SECONDS = 2.0
"""How long a store may take to answer."""
FRESH_SECONDS = 1.0
"""How long an answer counts: everybody may ask."""

Endpoint = Callable[[Request], Awaitable[Response]]


def health_endpoint(chats: Chats) -> Endpoint:
    """GET: 200 while the process lives, whatever its stores do."""
    versions = {name: version(name) for name in ("adk-stream-protocol", "google-adk")}

    async def healthz(request: Request) -> Response:
        stores = {"sessions": chats.session_store, "approvals": chats.approval_store}
        return JSONResponse({"status": "ok", "versions": versions, "stores": stores})

    return healthz


class Readiness:
    """GET: 200 while the stores answer and new turns are taken, else 503 with what does not."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._asking = asyncio.Lock()
        self._found: dict[str, str] = {}
        self._fresh_until = 0.0

    async def endpoint(self, request: Request) -> Response:
        """Answer from what was found lately, or look."""
        time = asyncio.get_running_loop().time
        async with self._asking:
            if time() >= self._fresh_until:
                self._found = await self._look()
                self._fresh_until = time() + FRESH_SECONDS
        found = self._found
        if self._chats.is_closing:
            found = found | {"process": "shutting down"}
        is_ready = set(found.values()) == {"ok"}
        status = "ready" if is_ready else "not ready"
        return JSONResponse({"status": status, "checks": found}, 200 if is_ready else 503)

    async def _look(self) -> dict[str, str]:
        probes = self._chats.probes()
        answers = await asyncio.gather(*(_answers(name, probe) for name, probe in probes.items()))
        return dict(zip(probes, answers, strict=True))


async def _answers(name: str, probe: Callable[[], Awaitable[object]]) -> str:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await probe()
    except Exception as error:
        logger.warning(
            "not ready: the store of %s does not answer (%s)", name, type(error).__name__
        )
        return "does not answer"
    return "ok"
