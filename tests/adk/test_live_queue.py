"""The queue into a live run does all that ADK's own does, and knows whether ADK takes from it."""

import asyncio

from google.adk.agents.live_request_queue import LiveRequest, LiveRequestQueue
from google.genai import types
from pytest import MonkeyPatch

from adk_stream_protocol.adk import live_queue
from adk_stream_protocol.adk.live_queue import LiveQueue

HELLO = types.Content(role="user", parts=[types.Part(text="hello")])
PIECE = types.Blob(data=b"x", mime_type="audio/pcm")


def never() -> None:
    raise AssertionError("nothing was stuck")


async def all_of(queue: LiveRequestQueue) -> list[LiveRequest]:
    requests: list[LiveRequest] = []
    while not requests or not requests[-1].close:
        requests.append(await asyncio.wait_for(queue.get(), 5))
    return requests


def test_nothing_of_adks_own_queue_is_used() -> None:
    public = {name for name in vars(LiveRequestQueue) if not name.startswith("_")}
    assert public <= set(vars(LiveQueue))


async def test_it_brings_what_adks_own_would() -> None:
    def fill(queue: LiveRequestQueue) -> LiveRequestQueue:
        queue.send_activity_start()
        queue.send_realtime(PIECE)
        queue.send_activity_end()
        queue.send_audio_stream_end()
        queue.send_content(HELLO, partial=True)
        queue.send_content(HELLO)
        queue.send(LiveRequest(content=HELLO, state_delta={"a": 1}))
        assert not queue.closed
        queue.close()
        assert queue.closed
        return queue

    ours, adks = fill(LiveQueue(never)), fill(LiveRequestQueue())
    assert await all_of(ours) == await all_of(adks)


async def test_a_request_to_close_closes_it() -> None:
    queue = LiveQueue(never)
    queue.send(LiveRequest(close=True))
    assert queue.closed
    queue.close()


async def test_what_a_cancelled_reader_did_not_take_goes_to_the_next() -> None:
    queue = LiveQueue(never)
    first = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    queue.send_content(HELLO)
    first.cancel()
    second = await asyncio.wait_for(queue.get(), 5)
    await asyncio.wait([first])
    assert second.content == HELLO and first.cancelled()


async def test_a_message_that_does_not_leave_is_noticed(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(live_queue, "SEND_SECONDS", 0)
    stuck = asyncio.Event()
    queue = LiveQueue(stuck.set)
    queue.say(HELLO)
    await asyncio.wait_for(stuck.wait(), 5)


async def test_adk_has_sent_a_message_when_it_comes_back_for_more(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(live_queue, "SEND_SECONDS", 0)
    queue = LiveQueue(never)
    reader = asyncio.create_task(all_of(queue))
    await asyncio.sleep(0)
    queue.say(HELLO)
    queue.speak(b"x")
    queue.speak(None)
    for _ in range(5):
        await asyncio.sleep(0)
    queue.close()
    said, piece, end, _ = await reader
    assert said.content == HELLO and piece.blob and end.audio_stream_end
