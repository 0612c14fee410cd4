"""ChatId: the one key of a chat, in memory, in the stores and between workers."""

from typing import NamedTuple


class ChatId(NamedTuple):
    """Name one chat: the application, the principal it belongs to, and its id there."""

    app: str
    user: str
    chat: str
