"""A client behind a round robin: every request of a chat goes to the next worker."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx

from tests.support.clients.http import Json, Reply
from tests.support.clients.socket import SocketChat, answered, said

SECONDS = 60.0


class Roamer:
    """One chat of one user."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        urls: Sequence[str],
        headers: dict[str, str],
        chat: str,
        approvals: str = "native",
        *,
        first: int = 0,
    ) -> None:
        self._http = http
        self._urls = urls
        self._number = first
        self.headers = headers
        self.id = chat
        self.query = f"?approvals={approvals}"

    def next_url(self) -> str:
        """The next worker's turn."""
        self._number += 1
        return self._urls[self._number % len(self._urls)]

    async def request(self, method: str, path: str, body: Json | None = None) -> httpx.Response:
        address = f"{self.next_url()}{path}"
        return await self._http.request(method, address, json=body, headers=self.headers)

    async def post(self, body: Json) -> Reply:
        found = await self.request("POST", f"/api/chat{self.query}", {"id": self.id, **body})
        return Reply(found.status_code, found.text)

    async def say(self, text: str) -> Reply:
        return await self.post(said(text))

    async def answer(self, *parts: Json) -> Reply:
        return await self.post(answered(*parts))

    async def decide(self, approval_id: str, approved: bool) -> httpx.Response:
        """Decide past the chat."""
        return await self.request("POST", f"/api/approvals/{approval_id}", {"approved": approved})

    async def messages(self) -> list[Json]:
        found = await self.request("GET", f"/api/chat/{self.id}/messages{self.query}")
        assert found.status_code == 200, found.text
        return found.json()

    async def stop(self) -> bool:
        found = await self.request("POST", f"/api/chat/{self.id}/stop")
        assert found.status_code == 200, found.text
        return found.json()["stopped"]

    async def resume(self) -> Reply:
        found = await self.request("GET", f"/api/chat/{self.id}/stream")
        return Reply(found.status_code, found.text)

    async def delete(self) -> int:
        return (await self.request("DELETE", f"/api/chat/{self.id}")).status_code

    @asynccontextmanager
    async def streaming(self, body: Json | None = None) -> AsyncGenerator["Stream"]:
        """A turn that is read piece by piece; without a body, the one that runs."""
        async with self.trying(body) as (status, stream):
            assert status == 200, (await stream.rest()).text
            yield stream

    @asynccontextmanager
    async def trying(self, body: Json | None = None) -> AsyncGenerator[tuple[int, "Stream"]]:
        """As `streaming`, whatever the status."""
        url = self.next_url()
        what: dict[str, Any] = {"method": "GET", "url": f"{url}/api/chat/{self.id}/stream"}
        if body is not None:
            what = {"method": "POST", "url": f"{url}/api/chat{self.query}"}
            what["json"] = {"id": self.id, **body}
        async with self._http.stream(**what, headers=self.headers) as answer:
            yield answer.status_code, Stream(answer)

    def socket(self) -> AbstractAsyncContextManager[SocketChat]:
        """The chat on a socket of the next worker."""
        url = self.next_url().replace("http", "ws", 1)
        return SocketChat.connect(f"{url}/live{self.query}", self.id, self.headers)


class Stream:
    """A response on its way in."""

    def __init__(self, answer: httpx.Response) -> None:
        self._pieces = answer.aiter_text()
        self.text = ""

    async def until(self, text: str) -> None:
        """Read until the answer holds this text."""
        while text not in self.said:
            self.text += await anext(self._pieces)

    async def rest(self) -> Reply:
        async for piece in self._pieces:
            self.text += piece
        return Reply(200, self.text)

    @property
    def said(self) -> str:
        lines = [one for one in self.text.split("\n\n")[:-1] if one.startswith("data: {")]
        chunks = [json.loads(line.removeprefix("data: ")) for line in lines]
        return "".join(one["delta"] for one in chunks if one["type"] == "text-delta")


def texts(messages: list[Json], role: str) -> list[str]:
    """What was said in each message of a role."""
    return [
        "".join(part["text"] for part in message["parts"] if part["type"] == "text")
        for message in messages
        if message["role"] == role
    ]


def pay(recipient: str, amount: int = 1) -> str:
    """A message that leads to one payment."""
    return f'/call process_payment {{"amount": {amount}, "recipient": "{recipient}"}}'


async def nothing_runs(chat: Roamer | SocketChat) -> None:
    """Wait until there is nothing to resume: other workers hear of an end a little later."""
    async with asyncio.timeout(SECONDS):
        while (reply := await chat.resume()).status != 204:
            assert reply.types[-1] in ("finish", "error"), reply.text
