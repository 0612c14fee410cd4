"""This worker among others, on a relay that the test plays."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from adk_stream_protocol.chats.workers import Workers
from adk_stream_protocol.errors import Busy
from adk_stream_protocol.workers.relay import Answer, Chat, Lease, LocalRelay

CHAT = ("ann", "c")


class OtherWorker:
    """A relay with one other worker, who holds the chat at first."""

    def __init__(self) -> None:
        nobody = LocalRelay()
        self.join, self.listen, self.close = nobody.join, nobody.listen, nobody.close
        self.release, self.publish, self.follow = nobody.release, nobody.publish, nobody.follow
        self.new_log, self.tell = nobody.new_log, nobody.tell
        self.holds = True
        self.answers: Answer | None = None
        self.lets_go = False
        """Gives the chat back between the claim and the question."""

    async def claim(self, chat: Chat) -> Lease | None:
        return None if self.holds else Lease(chat)

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        if self.lets_go:
            self.holds = False
        return self.answers


@pytest.fixture
def other() -> OtherWorker:
    return OtherWorker()


@pytest.fixture
async def workers(other: OtherWorker) -> AsyncGenerator[Workers]:
    async def heard(kind: str, body: dict[str, Any]) -> Answer | None:
        return None

    workers = Workers(other, "app", heard)
    yield workers
    await workers.close()


async def test_a_chat_that_comes_free_while_its_holder_is_asked_is_taken(
    workers: Workers, other: OtherWorker
) -> None:
    other.lets_go = True
    await workers.take(CHAT)
    assert workers.holds(CHAT)


@pytest.mark.parametrize("answer", [None, {"left": False}], ids=["silent", "busy"])
async def test_a_chat_that_is_held_is_busy(
    workers: Workers, other: OtherWorker, answer: Answer | None
) -> None:
    other.answers = answer
    with pytest.raises(Busy):
        await workers.take(CHAT)
