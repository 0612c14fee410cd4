"""The ways to the same chat. A behaviour is written once and tried over each of them."""

import asyncio
import json
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import httpx
import msgspec
from websockets.sync.client import ClientConnection, connect

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.protocol.messages import to_request
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.transports.http import error_text
from tests.interaction.bodies import (
    Answer,
    Json,
    envelope,
    sdk_answers,
    sdk_text,
    seed_answers,
    seed_text,
)
from tests.interaction.reply import Reply, refusal_of
from tests.interaction.server import SECONDS, Place, Server, new_name

Way = Literal["direct", "direct-live", "http", "socket", "envelopes"]
Style = Literal["native", "adk-tool"]


@dataclass(frozen=True)
class Chat:
    """One chat of one user, in one approval style."""

    server: Place
    user: str
    id: str
    style: Style

    @classmethod
    def new(cls, server: Place, style: Style = "native") -> "Chat":
        return cls(server, new_name("user"), new_name("chat"), style)

    def paid(self) -> list[tuple[str, float]]:
        return self.server.paid(self.user)


class Client(ABC):
    """Somebody in a chat who says things and answers what is asked."""

    names_message = True
    """Whether its answers name the message that asked, so that the reply goes on with it."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    @abstractmethod
    def send(self, body: Json) -> Reply:
        """Send a body and read what it leads to."""

    def say(self, text: str) -> Reply:
        return self.send(sdk_text(text))

    def answer(self, reply: Reply, *answers: Answer) -> Reply:
        """Answer what a reply asked for."""
        message_id = reply.message_id or "m"
        return self.send(sdk_answers(message_id, self.chat.style, answers))

    def context(self) -> Json:
        """What the model sees, as it says itself."""
        return json.loads(self.say("/echo").text)

    @abstractmethod
    def close(self) -> None:
        """Leave."""


class Direct(Client):
    """No transport at all: the turn as it is opened inside the server."""

    def __init__(self, chat: Chat, *, live: bool) -> None:
        super().__init__(chat)
        assert isinstance(chat.server, Server)
        self._server = chat.server
        self._live = live

    def send(self, body: Json) -> Reply:
        return self._server.call(self._run(body))

    def close(self) -> None:
        pass

    async def _run(self, body: Json) -> Reply:
        chat, who = self.chat, Principal(self.chat.user)
        turn_input = decode_turn(to_request(body))
        try:
            turn = await self._server.chat.open_turn(
                who, chat.id, turn_input, chat.style, live=self._live
            )
        except StreamProtocolError as error:
            return Reply(refused=refusal_of(error_text(error)))
        async with asyncio.timeout(SECONDS):
            batches = [batch async for batch in turn.batches(SECONDS)]
        chunks = [msgspec.json.decode(encode_json(chunk)) for batch in batches for chunk in batch]
        return Reply(chunks)


class Http(Client):
    """One POST per turn."""

    def __init__(self, chat: Chat) -> None:
        super().__init__(chat)
        base = f"http://{chat.server.address}"
        headers = chat.server.cookie(chat.user)
        self._client = httpx.Client(base_url=base, headers=headers, timeout=SECONDS, verify=False)

    def send(self, body: Json) -> Reply:
        query = {"approvals": self.chat.style}
        answer = self.post("/api/chat", {"id": self.chat.id, **body}, params=query)
        if answer.status_code != 200:
            return Reply(refused=refusal_of(answer.text))
        assert answer.text.endswith("data: [DONE]\n\n")
        return Reply([chunk for event in answer.text.split("\n\n") if (chunk := _chunk(event))])

    def decide(self, approval_id: str, *, approved: bool) -> Json:
        """Decide outside of the chat."""
        answer = self.post(f"/api/approvals/{approval_id}", {"approved": approved})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Json, **options: Any) -> httpx.Response:
        return self._client.post(path, json=body, **options)

    def close(self) -> None:
        self._client.close()


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
        return self.send(seed_text(text))

    def answer(self, reply: Reply, *answers: Answer) -> Reply:
        return self.send(seed_answers(reply.message_id or "m", answers))

    def send(self, body: Json) -> Reply:
        self.post(body)
        return self.read()

    def read(self) -> Reply:
        """The next turn, whoever began it."""
        reply = Reply()
        while (message := self.receive()) != "data: [DONE]\n\n":
            assert message.startswith("data: {") and message.endswith("}\n\n"), message
            chunk = _chunk(message)
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


class Clients(ExitStack):
    """Clients that leave when their test is over."""

    def add(self, client: Client) -> Any:
        self.callback(client.close)
        return client


def _chunk(event: str) -> Json | None:
    return json.loads(event.removeprefix("data: ")) if event.startswith("data: {") else None
