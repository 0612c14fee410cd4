"""The demo's page: the built files of `web/`, served under a strict Content-Security-Policy."""

import os
from pathlib import Path
from secrets import token_hex

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from adk_stream_protocol.demo.identity import COOKIE, demo_identify, sign

BUILT = Path(__file__).with_name("page")

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Pictures of the model come as data URLs.
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "geolocation=(self)",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

_NOT_BUILT = """\
The page of this demo has not been built.

From a checkout:  make demo      builds it and serves it
By hand:          npm --prefix web ci && npm --prefix web run build

The API is here all the same: POST /api/chat, GET /healthz.
"""


def page_routes(secret: bytes | None = None, built: Path = BUILT) -> list[BaseRoute]:
    """Serve `/` and its files. With the secret of `demo_identify` each browser is its own user."""

    if not (built / "index.html").is_file():
        return [Route("/", _not_built)]

    async def index(request: Request) -> Response:
        # Asked for anew each time: it names the other files, whose names change with their content.
        headers = HEADERS | {"cache-control": "no-cache"}
        response = FileResponse(built / "index.html", headers=headers)
        if secret is not None and not _is_known(request, secret):
            _introduce(response, secret)
        return response

    files = Assets(directory=built / "assets")
    return [
        Route("/", index),
        Mount("/assets", files, middleware=[Middleware(GZipMiddleware)]),
    ]


async def _not_built(request: Request) -> Response:
    return PlainTextResponse(_NOT_BUILT)


class Assets(StaticFiles):
    """Files whose names carry a hash of their content: kept by browsers for good."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers.update(HEADERS | {"cache-control": "public, max-age=31536000, immutable"})
        return response


def _is_known(request: Request, secret: bytes) -> bool:
    # A cookie signed with the key of another state folder would lock its browser out.
    return COOKIE in request.cookies and demo_identify((), secret)(request) is not None


def _introduce(response: Response, secret: bytes) -> None:
    name = sign(f"guest-{token_hex(8)}", secret)
    response.set_cookie(COOKIE, name, max_age=30 * 24 * 3600, httponly=True, samesite="lax")
