"""The socket client for tests without an event loop, against servers that may die."""

import json
from collections.abc import Generator
from contextlib import contextmanager

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.support.clients.http import Json, Reply
from tests.support.clients.socket import LAST, answered, said

SECONDS = 60.0


class SyncSocketChat:
    """One chat on one socket."""

    def __init__(self, connection: Connection, chat: str) -> None:
        self._connection = connection
        self._chat = chat
        self._requests = 0

    @classmethod
    @contextmanager
    def connect(cls, url: str, chat: str, user: str) -> Generator["SyncSocketChat"]:
        address = f"{url.replace('http', 'ws', 1)}/live"
        headers = {"authorization": f"Bearer {user}"}
        with connect(address, additional_headers=headers, compression=None) as connection:
            yield cls(connection, chat)

    def say(self, text: str) -> Reply:
        return self._post(said(text)).reply

    def try_to_say(self, text: str) -> "SocketAttempt":
        """Say something, and survive the death of the server."""
        return self._post(said(text))

    def answer(self, *parts: Json) -> Reply:
        return self._post(answered(*parts)).reply

    def try_to_answer(self, *parts: Json) -> "SocketAttempt":
        """Answer, and survive the death of the server."""
        return self._post(answered(*parts))

    def context(self) -> Json:
        """What the live model sees now."""
        return json.loads(self.say("/echo").said)

    def _post(self, body: Json) -> "SocketAttempt":
        self._requests += 1
        request_id = f"r{self._requests}"
        attempt = SocketAttempt()
        try:
            frame = {"type": "send", "requestId": request_id, "id": self._chat, **body}
            self._connection.send(json.dumps(frame))
            while attempt.last is None:
                attempt.take(json.loads(self._connection.recv(SECONDS)), request_id)
        except ConnectionClosed:
            pass
        return attempt


class SocketAttempt:
    """What came back for one request before its end, or before the server's."""

    def __init__(self) -> None:
        self.chunks: list[Json] = []
        self.last: Json | None = None

    def take(self, frame: Json, request_id: str) -> None:
        if frame["requestId"] != request_id:
            return
        if frame["type"] in LAST:
            self.last = frame
        else:
            self.chunks.append(frame["chunk"])

    @property
    def broken(self) -> bool:
        return self.last is None

    @property
    def acknowledged(self) -> bool:
        """The turn that an answer opens begins when the answer is stored."""
        return bool(self.chunks)

    @property
    def reply(self) -> Reply:
        assert self.last is not None, "the server is gone"
        if self.last["type"] != "end":
            return Reply(0, self.last.get("errorText", ""))
        text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in self.chunks)
        return Reply(200, f"{text}data: [DONE]\n\n")
