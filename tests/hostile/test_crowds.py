"""Crowds: hundreds of sockets, and clients that ask and do not read. `make hostile` sends more."""

import asyncio
import json
import resource
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.clients.raw_socket import stalled_connection
from tests.support.hostile.process import is_error, memory
from tests.support.servers.logged import LoggedDemo
from tests.support.times import TIMES

SOCKETS = 300 * TIMES
SLOW = 100 * TIMES
SECONDS = 120.0


@pytest.fixture
def demo(tmp_path: Path) -> Generator[LoggedDemo]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the server inherits it
    server = LoggedDemo(tmp_path, ADK_STREAM_LOG_LEVEL="warning").start()
    yield server
    server.kill()


def cookie_of(demo: LoggedDemo, number: int) -> str:
    return f"{COOKIE}={sign(f'user-{number // 32}', load_secret(demo.state))}"


async def test_many_sockets_are_served_side_by_side(demo: LoggedDemo) -> None:
    gate = asyncio.Semaphore(50)
    sockets: list[ClientConnection] = []

    async def open_socket(number: int) -> None:
        headers = {"cookie": cookie_of(demo, number)}
        async with gate:
            url = f"ws://127.0.0.1:{demo.port}/live"
            sockets.append(await connect(url, additional_headers=headers, compression=None))

    async def resume(socket: ClientConnection) -> str:
        await socket.send(json.dumps({"type": "resume", "requestId": "r", "id": "c"}))
        async with asyncio.timeout(SECONDS):
            return json.loads(await socket.recv())["type"]

    await asyncio.gather(*map(open_socket, range(SOCKETS)))
    assert await asyncio.gather(*map(resume, sockets)) == ["no-active"] * SOCKETS
    await asyncio.gather(*(socket.close() for socket in sockets))
    assert not any(map(is_error, demo.log_file.read_text().splitlines()))


@pytest.mark.skipif(TIMES == 1, reason="it waits for deadlines: part of make hostile")
async def test_clients_that_read_nothing_are_cut_and_their_memory_is_free_again(
    demo: LoggedDemo,
) -> None:
    gate = asyncio.Semaphore(20)
    before = 0

    async def stall(number: int) -> None:
        body = json.dumps({"id": f"c{number}", "message": {"role": "user", "content": "/say 9000"}})
        head = (
            f"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1:{demo.port}\r\n"
            f"Cookie: {cookie_of(demo, number)}\r\nContent-Type: application/json\r\n"
        )
        async with gate:
            reader, writer = await stalled_connection(demo.port)
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await reader.readexactly(12)  # the beginning of a status line, and nothing more
        async with asyncio.timeout(10 * SECONDS):
            while not reader.at_eof():
                await asyncio.sleep(SECONDS / 2)  # longer than the server waits for it
                with suppress(OSError):
                    await reader.read()
        writer.close()

    await asyncio.gather(*map(stall, range(50)))
    before = memory(demo.pid)
    await asyncio.gather(*map(stall, range(50, 50 + SLOW)))
    assert memory(demo.pid) < 1.3 * before
    assert not any(map(is_error, demo.log_file.read_text().splitlines()))
