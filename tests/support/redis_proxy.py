"""A way to Redis on which a test holds back single calls, as a busy network does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class RedisProxy:
    """Passes everything on. A call that is held back holds back its connection."""

    def __init__(self, url: str) -> None:
        self._port = urlsplit(url).port
        self._held: bytes | None = None
        self._arrived, self._free = asyncio.Event(), asyncio.Event()
        self._calls: asyncio.Queue[bytes] = asyncio.Queue()
        self._connections: set[asyncio.Task[None]] = set()
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def before(cls, url: str) -> AsyncGenerator["RedisProxy"]:
        proxy = cls(url)
        server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
        proxy.url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
        try:
            yield proxy
        finally:
            server.close()
            await proxy._close()

    def hold(self, marker: bytes) -> None:
        """Hold back the next call with this in it."""
        self._held = marker

    async def arrived(self) -> None:
        """Wait until it is held back."""
        async with asyncio.timeout(60):
            await self._arrived.wait()

    def let_go(self) -> None:
        """Pass it on."""
        self._free.set()

    async def passed(self, marker: bytes, times: int) -> None:
        """Wait until so many calls with this in it have been passed on."""
        async with asyncio.timeout(60):
            while times:
                times -= marker in await self._calls.get()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        from_redis, to_redis = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            await asyncio.gather(self._calls_of(reader, to_redis), _answers(from_redis, writer))
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            for one in (writer, to_redis):
                one.close()
                with suppress(OSError):
                    await one.wait_closed()

    async def _close(self) -> None:
        for connection in self._connections:
            connection.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _calls_of(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while call := await reader.read(65_536):
            if self._held and self._held in call:
                self._held = None
                self._arrived.set()
                await self._free.wait()
            writer.write(call)
            self._calls.put_nowait(call)
        writer.close()  # the other direction ends with it


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while answer := await reader.read(65_536):
        writer.write(answer)
    writer.close()
