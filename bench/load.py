"""The load, in a process of its own: one JSON command per line in, one JSON result per line out.

It speaks just enough HTTP over raw sockets to stay far below the servers' own cost: a connection
per request, closed by the server, whose chunks are counted by their prefix and never parsed.
"""

import asyncio
import sys
import time

import orjson
import uvloop

PREFIX = b"data: "
READ = 1 << 18


async def request(port: int, path: str, user: str, body: str) -> tuple[float, int]:
    """Send one request; return the seconds to its first chunk and the number of its chunks."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=READ)
    data = body.encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\nx-user: {user}\r\n"
        f"accept: text/event-stream\r\ncontent-type: application/json\r\n"
        f"content-length: {len(data)}\r\n\r\n"
    )
    begun = time.perf_counter()
    writer.write(head.encode() + data)
    first, chunks, tail, start = 0.0, 0, b"", b""
    while block := await reader.read(READ):
        seen = tail + block
        found = seen.count(PREFIX)
        if found and not chunks:
            first = time.perf_counter() - begun
        chunks += found
        # A prefix cut in two by the socket ends in the next block.
        tail = seen[1 - len(PREFIX) :]
        start = start or block
    writer.close()
    if not start.startswith(b"HTTP/1.1 200") or not chunks:
        raise RuntimeError(f"{path} answered {start[:400]!r}")
    return first, chunks


async def stream(port: int, path: str, requests: list[tuple[str, str]]) -> list[tuple[float, int]]:
    """Send one stream's requests one after the other."""
    return [await request(port, path, user, body) for user, body in requests]


async def load(command: dict) -> dict:
    """Run all streams at once and sum up."""
    begun = time.perf_counter()
    streams = [stream(command["port"], command["path"], each) for each in command["streams"]]
    answers = [answer for each in await asyncio.gather(*streams) for answer in each]
    return {
        "seconds": time.perf_counter() - begun,
        "first": [first for first, _ in answers],
        "chunks": [chunks for _, chunks in answers],
    }


async def main() -> None:
    """Serve commands until the input ends."""
    for line in iter(sys.stdin.buffer.readline, b""):
        result = await load(orjson.loads(line))
        sys.stdout.buffer.write(orjson.dumps(result) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    uvloop.run(main())
