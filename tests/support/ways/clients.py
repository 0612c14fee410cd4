"""The ways to the same chat. A behaviour is written once and tried over each of them."""

import asyncio
import json
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal

import httpx
import msgspec

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.protocol.messages import to_request
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.transports.admission import error_text
from tests.support.ways.bodies import (
    Answer,
    Json,
    sdk_answers,
    sdk_text,
)
from tests.support.ways.reply import Reply, refusal_of
from tests.support.ways.server import SECONDS, ChatId, Server, new_name

Way = Literal["direct", "direct-live", "http", "socket", "envelopes"]
Style = Literal["native", "adk-tool"]


@dataclass(frozen=True)
class Chat:
    """One chat of one user, in one approval style."""

    server: ChatId
    user: str
    id: str
    style: Style

    @classmethod
    def new(cls, server: ChatId, style: Style = "native") -> "Chat":
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
        return Reply([chunk for event in answer.text.split("\n\n") if (chunk := chunk_of(event))])

    def decide(self, approval_id: str, *, approved: bool) -> Json:
        """Decide outside of the chat."""
        answer = self.post(f"/api/approvals/{approval_id}", {"approved": approved})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Json, **options: Any) -> httpx.Response:
        return self._client.post(path, json=body, **options)

    def close(self) -> None:
        self._client.close()


class Clients(ExitStack):
    """Clients that leave when their test is over."""

    def add(self, client: Client) -> Any:
        self.callback(client.close)
        return client


def chunk_of(event: str) -> Json | None:
    return json.loads(event.removeprefix("data: ")) if event.startswith("data: {") else None
