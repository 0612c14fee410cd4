"""What a client without an SDK sends and gets: a POST, or a frame on a socket."""

import json
from contextlib import ExitStack
from urllib.parse import urlencode

import httpx
from websockets.sync.client import ClientConnection, connect

from adk_stream_protocol.errors import StreamProtocolError
from tests.support.sdk.page_view import code_of
from tests.support.sdk.raw import Json, Reply


class Posts:
    """Requests of one user over HTTP."""

    def __init__(self, client: httpx.Client, headers: dict[str, str]) -> None:
        self._client = client
        self._headers = headers

    def __call__(self, body: Json, query: dict[str, str]) -> Reply:
        response = self._client.post("/api/chat", json=body, params=query, headers=self._headers)
        if response.status_code != 200:
            return Reply(response.status_code, response.headers["x-error-code"])
        lines = response.text.split("\n")
        return Reply(
            200, "", [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        )


class Frames:
    """Requests of one user over a socket, in the frames of the SDK."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._url = url.replace("http", "ws", 1)
        self._headers = headers
        self._sockets: dict[str, ClientConnection] = {}
        self._sent = 0
        self._stack = ExitStack()

    def __call__(self, body: Json, query: dict[str, str]) -> Reply:
        socket = self._socket(urlencode(query))
        self._sent += 1
        socket.send(json.dumps({"type": "send", "requestId": str(self._sent), **body}))
        return self._reply(socket, str(self._sent))

    def close(self) -> None:
        """Leave all sockets."""
        self._stack.close()

    def _socket(self, query: str) -> ClientConnection:
        if query not in self._sockets:
            socket = connect(f"{self._url}/live?{query}", additional_headers=self._headers)
            self._stack.callback(socket.close)
            self._sockets[query] = socket
        return self._sockets[query]

    def _reply(self, socket: ClientConnection, request_id: str) -> Reply:
        chunks: list[Json] = []
        while True:
            frame: Json = json.loads(socket.recv(timeout=60))
            if frame["requestId"] != request_id:
                continue
            if frame["type"] == "chunk":
                assert frame["sequence"] == len(chunks)
                chunks.append(frame["chunk"])
            elif frame["type"] == "error":
                code = code_of(frame["errorText"]) or ""
                return Reply(_STATUS[code], code, chunks)
            else:
                assert frame["type"] == "end"
                return Reply(200, "", chunks)


def _kinds(error: type[StreamProtocolError]) -> list[type[StreamProtocolError]]:
    return [error, *(kind for child in error.__subclasses__() for kind in _kinds(child))]


# A frame has no status: its code stands for one.
_STATUS = {kind.code: kind.status for kind in _kinds(StreamProtocolError)}
