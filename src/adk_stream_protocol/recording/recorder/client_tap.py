"""Stands in front of an app and writes down what its clients say and get.

Of the headers nothing is written down; what signs a client in is remembered only to be taken out
wherever else it stands.
"""

from http.cookies import CookieError, SimpleCookie

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.recorder.socket_tap import SocketTap
from adk_stream_protocol.recording.recorder.turn_tap import TurnTap

_TURNS = ("/api/chat", "/stream")
_ELSEWHERE = {
    "/stop": "a turn was stopped over HTTP",
    "/api/approvals/": "a request was decided outside of the chat",
}


class ClientTap:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self._app = app
        self._recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        self._remember_secrets(HTTPConnection(scope))
        path: str = scope["path"]
        if scope["type"] == "websocket" and path.endswith("/live"):
            await SocketTap(self._recorder, scope, receive, send).run(self._app)
        elif scope["type"] == "http" and scope["method"] == "POST" and path.endswith(_TURNS):
            await TurnTap(self._recorder, scope, receive, send).run(self._app)
        else:
            await self._app(scope, receive, send)
            self._look_elsewhere(scope, path)

    def _look_elsewhere(self, scope: Scope, path: str) -> None:
        for part, reason in _ELSEWHERE.items():
            if scope.get("method") == "POST" and part in path:
                self._recorder.end(reason)

    def _remember_secrets(self, connection: HTTPConnection) -> None:
        authorization = connection.headers.get("authorization", "")
        self._recorder.secret(authorization.partition(" ")[2])
        for header in connection.headers.getlist("cookie"):
            try:
                cookies = SimpleCookie(header)
            except CookieError:
                continue
            for cookie in cookies.values():
                self._recorder.secret(cookie.value)
