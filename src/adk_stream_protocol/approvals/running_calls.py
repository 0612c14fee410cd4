"""RunningCalls: which tool calls this process is running now, and for which chat."""

import asyncio

from adk_stream_protocol.chat_id import ChatId


class RunningCalls:
    """Gated calls are known by their approval id, others by their place and call id."""

    def __init__(self) -> None:
        self._places: dict[object, ChatId] = {}
        self._ended = asyncio.Event()

    def __contains__(self, call: object) -> bool:
        return call in self._places

    def begin(self, call: object, place: ChatId) -> None:
        """A call of this chat is running from now on."""
        self._places[call] = place

    def end(self, call: object) -> None:
        """The call is not running any more."""
        self._places.pop(call, None)
        self._ended.set()

    async def none_of(self, place: ChatId) -> None:
        """Wait until no call of this chat is running here."""
        while place in self._places.values():
            self._ended.clear()
            await self._ended.wait()
