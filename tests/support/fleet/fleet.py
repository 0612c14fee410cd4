"""Workers of one application: the same state, PostgreSQL and Redis, a port each."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.databases.redis import RedisServer
from tests.support.fleet.worker import Worker
from tests.support.sink import Sink


@dataclass
class Fleet:
    """The workers, and where their payments arrive."""

    workers: list[Worker]
    sink: Sink
    redis: RedisServer
    state: Path

    @property
    def urls(self) -> list[str]:
        return [worker.url for worker in self.workers]

    def of(self, count: int) -> "Fleet":
        """The same with fewer workers."""
        return Fleet(self.workers[:count], self.sink, self.redis, self.state)

    def headers(self, user: str) -> dict[str, str]:
        """The cookie of a user, who has a wallet of their own."""
        return {"cookie": f"{COOKIE}={sign(user, load_secret(self.state))}"}

    def paid_to(self) -> list[str]:
        """The recipients of all payments, as often as they were paid."""
        return self.sink.paid_to()


@contextmanager
def running_fleet(
    count: int, folder: Path, database_url: str, *, looks: bool = False
) -> Generator[Fleet]:
    """Workers that all start at once on an empty database."""
    redis, sink, state = RedisServer(folder).start(), Sink(), folder / "state"
    environment = {
        "ADK_STREAM_DATABASE_URL": database_url,
        "ADK_STREAM_REDIS_URL": redis.url,
        "PAYMENT_SINK_URL": sink.url,
    }
    workers = [Worker(state, environment, looks=looks) for _ in range(count)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.wait()
        yield Fleet(workers, sink, redis, state)
    finally:
        for worker in workers:
            worker.stop()
        sink.stop()
        redis.kill()
