"""ChatLease: the right of this worker to run one chat."""

import asyncio

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Busy, Unavailable
from adk_stream_protocol.workers.messages import Done, Leave
from adk_stream_protocol.workers.relay import Lease, Relay


class ChatLease:
    """Acquired before a chat is run here, and released before anybody hears of its end."""

    __slots__ = ("_chat", "_lease", "_relay", "_releasing")

    def __init__(self, chat: ChatId, relay: Relay) -> None:
        self._chat = chat
        self._relay = relay
        self._lease: Lease | None = None
        self._releasing: asyncio.Future[None] | None = None

    @property
    def is_held(self) -> bool:
        """Return whether this worker may run the chat."""
        return self._lease is not None

    @property
    def is_exclusive(self) -> bool:
        """Return whether it is certain that no other worker runs the chat."""
        return self._lease is not None and self._lease.granted

    async def acquire(self, *, politely: bool = False, for_socket: bool = False) -> None:
        """Acquire the chat, or raise Busy while another worker runs it.

        An idle live run on another worker leaves the chat, unless `politely` is set. If the chat
        is acquired for a socket, the socket over there is closed.
        """
        if self._lease:
            return
        await self._relay.listen()
        await self.released()
        lease = await self._relay.claim(self._chat)
        if lease is None and not politely and await self._ask_to_leave(for_socket):
            lease = await self._relay.claim(self._chat)
        if lease is None:
            raise Busy("A turn is already running in this chat.")
        self._lease = lease

    async def _ask_to_leave(self, for_socket: bool) -> bool:
        """Return whether another claim is worth it: also if the holder has just left by itself."""
        try:
            reply = await self._relay.request(Leave(self._chat, for_socket))
        except Unavailable:
            return False
        return reply is None or reply == Done(True)

    def release(self, log: str | None = None) -> asyncio.Future[None] | None:
        """Begin to release the chat, and hide the log of its turn. Return what to wait for."""
        if self._lease:
            self._releasing = self._relay.release(self._lease, log)
            self._lease = None
        return self._releasing

    async def released(self) -> None:
        """Wait until other workers can acquire the chat."""
        if releasing := self._releasing:
            await asyncio.wait([releasing])
            if self._releasing is releasing:  # else the chat was acquired and released again
                self._releasing = None
