"""The load on the live servers, in a process of its own: one JSON command per line in and out.

Deltas and ends of turns are told by a few bytes of them; only the crowd is read closely.
"""

import asyncio
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import uvloop

from bench.children import cpu
from bench.model import APP_NAME
from bench.websocket import Socket

AT_ONCE = 20
SECONDS = 60.0


@dataclass(frozen=True)
class Dialect:
    """How a server is talked to, and what its deltas and ends look like."""

    path: str
    delta: bytes
    end: bytes

    def frame(self, chat: str, script: str, request_id: str) -> bytes:
        """A message of the user's."""
        part = {"type": "text", "text": script}
        messages = [{"id": "u1", "role": "user", "parts": [part]}]
        frame = {"type": "send", "requestId": request_id, "id": chat, "messages": messages}
        return orjson.dumps(frame)


class Envelopes(Dialect):
    """The older envelopes."""

    def frame(self, chat: str, script: str, request_id: str) -> bytes:
        messages = [{"id": "u1", "role": "user", "content": script}]
        return orjson.dumps({"type": "message", "version": "1.0", "data": {"messages": messages}})


class AdkRequests(Dialect):
    """ADK's own requests."""

    def frame(self, chat: str, script: str, request_id: str) -> bytes:
        return orjson.dumps({"content": {"role": "user", "parts": [{"text": script}]}})


DELTA, LIVE = b'"type":"text-delta"', "/live?chatId={chat}"
RUN_LIVE = f"/run_live?app_name={APP_NAME}&user_id=user&session_id={{chat}}&modalities=TEXT"
DIALECTS = {
    "frames": Dialect(LIVE, DELTA, b'{"type":"end"'),
    "envelopes": Envelopes(LIVE, DELTA, b"data: [DONE]"),
    "plain": Dialect(LIVE, DELTA, b"data: [DONE]"),
    "adk": AdkRequests(RUN_LIVE, b'"partial":true', b'"turnComplete":true'),
}


class Client:
    """One chat on one socket, one turn at a time."""

    def __init__(self, socket: Socket, dialect: Dialect, chat: str) -> None:
        self.socket = socket
        self.deltas = self.messages = 0
        self._dialect = dialect
        self._chat = chat
        self._turns = 0
        self._ended = asyncio.Event()
        socket.on_text = self.take

    @classmethod
    async def connect(cls, port: int, dialect: Dialect, user: str) -> "Client":
        chat = uuid.uuid4().hex
        socket = await Socket.connect(port, dialect.path.format(chat=chat), user)
        return cls(socket, dialect, chat)

    def take(self, text: bytes) -> None:
        """Count a message."""
        self.messages += 1
        if self._dialect.delta in text:
            self.deltas += 1
        elif self._dialect.end in text:
            self._ended.set()

    async def turn(self, script: str) -> None:
        """Say something and wait for the end of the answer."""
        self._turns += 1
        self._ended.clear()
        self.socket.send(self._dialect.frame(self._chat, script, f"r{self._turns}"))
        async with asyncio.timeout(SECONDS):
            await self._ended.wait()

    async def turns(self, scripts: list[str]) -> None:
        for script in scripts:
            await self.turn(script)


class Careful(Client):
    """Reads every frame and counts what is lost, doubled or out of order."""

    faults = expected = 0
    words = 0

    def take(self, text: bytes) -> None:
        super().take(text)
        frame = orjson.loads(text)
        if frame["requestId"] != f"r{self._turns}":
            self.faults += 1
        if frame["type"] == "chunk":
            self.faults += frame["sequence"] != self.expected
            self.expected = frame["sequence"] + 1
            if frame["chunk"]["type"] == "text-delta":
                self.faults += frame["chunk"]["delta"] != f"{self.words} "
                self.words += 1

    async def turn(self, script: str) -> None:
        self.expected = self.words = 0
        await super().turn(script)
        self.faults += abs(self.words - int(script.removeprefix("count ")))


HELD: list[Client] = []


async def burst(command: dict) -> dict:
    """Open the sockets, warm them up, and measure all streams at once."""
    dialect = DIALECTS[command["dialect"]]
    clients = await _open(Client, command, dialect, len(command["streams"]))
    await asyncio.gather(*(client.turn("text 1") for client in clients))
    for client in clients:
        client.deltas = client.messages = 0
    work, begun = cpu(command["pid"]), time.perf_counter()
    streams = zip(clients, command["streams"], strict=True)
    await asyncio.gather(*(client.turns(scripts) for client, scripts in streams))
    seconds, work = time.perf_counter() - begun, cpu(command["pid"]) - work
    for client in clients:
        client.socket.close()
    deltas, messages = (sum(getattr(c, name) for c in clients) for name in ("deltas", "messages"))
    return {"seconds": seconds, "cpu": work, "deltas": deltas, "messages": messages}


async def hold(command: dict) -> dict:
    """Open sockets that stay open; with a script, each has one turn of it."""
    kind = Careful if command["careful"] else Client
    clients = await _open(kind, command, DIALECTS[command["dialect"]], command["count"])
    HELD.extend(clients)
    if script := command["script"]:
        for group in _groups(clients):
            await asyncio.gather(*(client.turn(script) for client in group))
    return {"open": sum(not client.socket.closed for client in HELD)}


async def crowd(command: dict) -> dict:
    """Run streams beside the held sockets; then each of those must answer as if alone."""
    dialect = DIALECTS[command["dialect"]]
    streams = await _open(Careful, command, dialect, command["streams"])
    await asyncio.gather(*(client.turns(command["scripts"]) for client in streams))
    for group in _groups(HELD):
        await asyncio.gather(*(client.turn("count 3") for client in group))
    everybody = [*streams, *HELD]
    return {
        "faults": sum(client.faults + client.socket.closed for client in everybody),
        "deltas": sum(client.deltas for client in everybody),
    }


async def let_go(command: dict) -> dict:
    """Close the held sockets."""
    for client in HELD:
        client.socket.close()
    HELD.clear()
    return {}


async def _open(kind: type[Client], command: dict, dialect: Dialect, count: int) -> list:
    names = [f"user-{index}" for index in range(count)]
    clients = []
    for group in _groups(names):
        opening = (kind.connect(command["port"], dialect, name) for name in group)
        clients += await asyncio.gather(*opening)
    return clients


def _groups(items: list) -> Iterator[list]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


COMMANDS = {"burst": burst, "hold": hold, "crowd": crowd, "let go": let_go}


async def main() -> None:
    """Serve commands until the input ends. The loop runs meanwhile: held sockets answer pings."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
        command = orjson.loads(line)
        result = await COMMANDS[command["do"]](command)
        sys.stdout.buffer.write(orjson.dumps(result) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    uvloop.run(main())
