"""The queue into a live run: in order, and a run that takes no more is noticed."""

import asyncio

import pytest
from google.adk.agents.live_request_queue import LiveRequest
from google.genai import types

from adk_stream_protocol.adk import live_queue
from adk_stream_protocol.adk.live_queue import LiveQueue


def content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def text_of(request: LiveRequest) -> str | None:
    assert request.content and request.content.parts
    return request.content.parts[0].text


class Alarm:
    """Rings when a queue is stuck."""

    def __init__(self) -> None:
        self.rang = asyncio.Event()

    def __call__(self) -> None:
        self.rang.set()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_queue, "SEND_SECONDS", 0.05)


async def test_what_is_said_leaves_in_order_for_whoever_waits() -> None:
    queue = LiveQueue(Alarm())
    takers = [asyncio.create_task(queue.get()) for _ in range(2)]
    await asyncio.sleep(0)
    for text in ("a", "b", "c"):
        queue.say(content(text))
    taken = [*await asyncio.gather(*takers), await queue.get()]
    assert sorted(text_of(request) or "" for request in taken[:2]) == ["a", "b"]
    assert text_of(taken[2]) == "c"
    queue.close()


async def test_speech_and_its_end() -> None:
    queue = LiveQueue(Alarm())
    queue.speak(b"pcm")
    queue.speak(None)
    piece, end = await queue.get(), await queue.get()
    assert piece.blob and (piece.blob.data, piece.blob.mime_type) == (b"pcm", live_queue.SPEECH)
    assert end.blob is None and end.content is None
    queue.close()


@pytest.mark.usefixtures("impatient")
async def test_a_message_that_nobody_takes_rings() -> None:
    alarm = Alarm()
    queue = LiveQueue(alarm)
    queue.say(content("a"))
    await asyncio.wait_for(alarm.rang.wait(), 60)


@pytest.mark.usefixtures("impatient")
async def test_a_message_that_was_taken_but_not_sent_rings() -> None:
    alarm = Alarm()
    queue = LiveQueue(alarm)
    taker = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    queue.say(content("a"))
    assert text_of(await taker) == "a"  # and its taker does not come back for more
    await asyncio.wait_for(alarm.rang.wait(), 60)


@pytest.mark.usefixtures("impatient")
async def test_messages_that_leave_one_by_one_do_not_ring() -> None:
    alarm = Alarm()
    queue = LiveQueue(alarm)
    loop = asyncio.get_running_loop()

    async def send() -> None:
        while True:
            await queue.get()

    sending = asyncio.create_task(send())
    until = loop.time() + 4 * live_queue.SEND_SECONDS
    while loop.time() < until:
        queue.say(content("a"))
        await asyncio.sleep(live_queue.SEND_SECONDS / 10)
    assert not alarm.rang.is_set()
    sending.cancel()
    queue.close()


@pytest.mark.usefixtures("impatient")
async def test_a_closed_queue_is_not_stuck() -> None:
    closed, later = Alarm(), Alarm()
    queue = LiveQueue(closed)
    queue.say(content("a"))
    queue.close()
    LiveQueue(later).say(content("a"))
    await asyncio.wait_for(later.rang.wait(), 60)
    assert not closed.rang.is_set()
