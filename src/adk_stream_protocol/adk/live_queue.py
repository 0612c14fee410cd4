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


class LiveQueue(LiveRequestQueue):
    """The messages on their way to a live run.

    ADK asks for its own class by isinstance. Nothing of that class is used: each of its public
    methods is here, and its constructor is not called. It would make an `asyncio.Queue`, whose
    deques are 3 KB in every idle chat.
    """

    def __init__(self, on_stuck: Callable[[], None]) -> None:
        self._requests: list[LiveRequest] = []
        self._takers: list[asyncio.Future[None]] = []
        self._is_closed = False
        self._on_stuck = on_stuck
        self._rounds = 0
        """How often ADK came back for more: it has sent what it took before."""

        self._due = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def closed(self) -> bool:
        """Return whether the run is told to end."""
        return self._is_closed

    async def get(self) -> LiveRequest:
        self._rounds += 1
        while not self._requests:
            taker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._takers.append(taker)
            await taker
        return self._requests.pop(0)

    def send(self, req: LiveRequest) -> None:
        """Send a message that the model must get."""
        self._due = self._rounds + len(self._requests) + 1
        self._put(req)
        if self._timer is None:
            self._watch()

    def close(self) -> None:
        self._put(LiveRequest(close=True))
        if self._timer:
            self._timer.cancel()

    def send_content(self, content: types.Content, partial: bool = False) -> None:
        """Send content. ADK sends the results of tools with this."""
        self._put(LiveRequest(content=content, partial=partial))

    def send_realtime(self, blob: types.Blob) -> None:
        self._put(LiveRequest(blob=blob))

    def send_activity_start(self) -> None:
        self._put(LiveRequest(activity_start=types.ActivityStart()))

    def send_activity_end(self) -> None:
        self._put(LiveRequest(activity_end=types.ActivityEnd()))

    def send_audio_stream_end(self) -> None:
        self._put(LiveRequest(audio_stream_end=True))

    def say(self, content: types.Content) -> None:
        """Send user content, and notice if it does not leave."""
        self.send(LiveRequest(content=content))

    def speak(self, pcm: bytes | None) -> None:
        """Send a piece of the user's speech, or its end."""
        if pcm is None:
            self.send_audio_stream_end()
        else:
            self.send_realtime(types.Blob(data=pcm, mime_type=SPEECH))

    def _put(self, request: LiveRequest) -> None:
        self._is_closed = self._is_closed or request.close
        self._requests.append(request)
        for taker in self._takers:
            if not taker.done():
                taker.set_result(None)
        self._takers.clear()

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(SEND_SECONDS, self._check, self._due)

    def _check(self, due: int) -> None:
        self._timer = None
        if self._rounds < due and not self.closed:
            self._on_stuck()
        elif self._rounds < self._due:  # sent after this timer was set
            self._watch()
