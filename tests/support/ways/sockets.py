"""The two dialects of a socket, as clients of a chat."""

import json
from abc import abstractmethod
from itertools import count
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.support.ways.bodies import Answer, Json, envelope, envelope_answers, envelope_text
from tests.support.ways.clients import Chat, Client, Direct, Http, Way, chunk_of
from tests.support.ways.reply import Reply, refusal_of
from tests.support.ways.server import SECONDS


class OnSocket(Client):
    """A client that keeps a socket, and all that it was ever sent."""

    def __init__(self, chat: Chat, **headers: str) -> None:
        super().__init__(chat)
        query = "&".join(f"{key}={value}" for key, value in self.query_of(chat).items())
        self.socket: ClientConnection = connect(
            f"ws://{chat.server.address}/live?{query}",
            additional_headers={**chat.server.cookie(chat.user), **headers},
            max_size=None,
            compression=None,
            open_timeout=SECONDS,
        )

    @abstractmethod
    def query_of(self, chat: Chat) -> dict[str, str]:
        """What the address says beyond the path."""

    def receive(self) -> str:
        """The next message, as it is."""
        message = self.socket.recv(SECONDS)
        assert isinstance(message, str)
        return message

    def post(self, frame: Json) -> None:
        """Send a frame and read nothing."""
        self.socket.send(json.dumps(frame))

    def close(self) -> None:
        self.socket.close()


class SdkSocket(OnSocket):
    """The frames of the AI SDK's own transport."""

    def __init__(self, chat: Chat, **headers: str) -> None:
        super().__init__(chat, **headers)
        self._requests = count(1)
        self.others: list[Json] = []
        """Frames that nobody has read yet."""

    def query_of(self, chat: Chat) -> dict[str, str]:
        return {"approvals": chat.style}

    def send(self, body: Json) -> Reply:
        return self.read(self.start(body))

    def start(self, body: Json, **fields: Any) -> str:
        """Send a request; its turn can be read under the id that is returned."""
        request_id = f"r{next(self._requests)}"
        frame = {"type": "send", "requestId": request_id, "id": self.chat.id, **body, **fields}
        self.post({"headers": {}, "body": {}, "trigger": "submit-message", **frame})
        return request_id

    def resume(self) -> Reply | None:
        """The running turn from its first chunk; None if none runs."""
        request_id = f"r{next(self._requests)}"
        self.post({"type": "resume", "requestId": request_id, "id": self.chat.id})
        first = self.frame(request_id)
        return None if first["type"] == "no-active" else self.read(request_id)

    def read(self, request_id: str) -> Reply:
        """All of a turn. Its chunks are numbered without a gap."""
        reply = Reply()
        while (frame := self.frame(request_id))["type"] != "end":
            if frame["type"] == "error":
                return Reply(refused=refusal_of(frame["errorText"]))
            assert (frame["type"], frame["sequence"]) == ("chunk", len(reply.chunks))
            reply.chunks.append(frame["chunk"])
        return reply

    def read_until(self, request_id: str, type: str) -> Reply:
        """The chunks up to the first of a type; the rest is still to be read."""
        reply = Reply()
        while type not in reply.types:
            reply.chunks.append(self.frame(request_id)["chunk"])
        return reply

    def read_rest(self, request_id: str) -> Reply:
        """The chunks from here to the end of a turn."""
        reply = Reply()
        while (frame := self.frame(request_id))["type"] == "chunk":
            reply.chunks.append(frame["chunk"])
        assert frame["type"] == "end"
        return reply

    def frame(self, request_id: str) -> Json:
        """The next frame of a request. Those of others are kept."""
        for frame in self.others:
            if frame["requestId"] == request_id:
                self.others.remove(frame)
                return frame
        while (frame := json.loads(self.receive()))["requestId"] != request_id:
            self.others.append(frame)
        return frame


class Envelopes(OnSocket):
    """The older envelopes up, the text of an event stream down."""

    names_message = False

    def query_of(self, chat: Chat) -> dict[str, str]:
        return {"approvals": chat.style, "chatId": chat.id}

    def say(self, text: str) -> Reply:
        return self.send(envelope_text(text))

    def answer(self, reply: Reply, *answers: Answer) -> Reply:
        return self.send(envelope_answers(reply.message_id or "m", answers))

    def send(self, body: Json) -> Reply:
        self.post(body)
        return self.read()

    def read(self) -> Reply:
        """The next turn, whoever began it."""
        reply = Reply()
        while (message := self.receive()) != "data: [DONE]\n\n":
            assert message.startswith("data: {") and message.endswith("}\n\n"), message
            chunk = chunk_of(message)
            assert chunk is not None
            reply.chunks.append(chunk)
        if reply.types == ["error"]:
            return Reply(refused=refusal_of(reply.chunks[0]["errorText"]))
        return reply

    def interrupt(self) -> None:
        self.post(envelope("interrupt"))


def open_client(way: Way, chat: Chat) -> Client:
    match way:
        case "direct":
            return Direct(chat, live=False)
        case "direct-live":
            return Direct(chat, live=True)
        case "http":
            return Http(chat)
        case "socket":
            return SdkSocket(chat)
        case "envelopes":
            return Envelopes(chat)
