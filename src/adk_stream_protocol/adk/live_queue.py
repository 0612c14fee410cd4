"""The queue into a live run, which knows whether ADK still takes from it.

An error in ADK's sending task ends that task and nothing else: the run goes on as if all were well,
and whatever is sent later goes nowhere (google-adk 2.13).
"""

import asyncio
from collections.abc import Callable

from google.adk.agents.live_request_queue import LiveRequest, LiveRequestQueue
from google.genai import types

SEND_SECONDS = 20.0
SPEECH = "audio/pcm;rate=16000"


class _Requests(asyncio.Queue[LiveRequest]):
    """A queue without bounds. asyncio's own keeps 3 KB of deques, in every chat that is idle."""

    def __init__(self) -> None:
        self._requests: list[LiveRequest] = []
        self._takers: list[asyncio.Future[None]] = []

    def qsize(self) -> int:
        return len(self._requests)

    def put_nowait(self, item: LiveRequest) -> None:
        self._requests.append(item)
        for taker in self._takers:
            if not taker.done():
                taker.set_result(None)
        self._takers.clear()

    async def get(self) -> LiveRequest:
        while not self._requests:
            taker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._takers.append(taker)
            await taker
        return self._requests.pop(0)


class LiveQueue(LiveRequestQueue):
    """What a live run is sent."""

    def __init__(self, on_stuck: Callable[[], None]) -> None:
        super().__init__()
        self._queue = _Requests()
        self._on_stuck = on_stuck
        self._rounds = 0
        """How often ADK came back for more: it has sent what it took before."""

        self._due = 0
        self._timer: asyncio.TimerHandle | None = None

    async def get(self) -> LiveRequest:
        self._rounds += 1
        return await super().get()

    def send(self, req: LiveRequest) -> None:
        """Send a message that the model must get."""
        self._due = self._rounds + self._queue.qsize() + 1
        super().send(req)
        if self._timer is None:
            self._watch()

    def close(self) -> None:
        super().close()
        if self._timer:
            self._timer.cancel()

    def say(self, content: types.Content) -> None:
        """Send user content, and notice if it does not leave."""
        self.send(LiveRequest(content=content))

    def speak(self, pcm: bytes | None) -> None:
        """Send a piece of the user's speech, or its end."""
        if pcm is None:
            self.send_audio_stream_end()
        else:
            self.send_realtime(types.Blob(data=pcm, mime_type=SPEECH))

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(SEND_SECONDS, self._check, self._due)

    def _check(self, due: int) -> None:
        self._timer = None
        if self._rounds < due and not self.closed:
            self._on_stuck()
        elif self._rounds < self._due:  # sent after this timer was set
            self._watch()
