"""Messages between workers about a chat, and the replies. Each is a tagged struct."""

import msgspec

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import StreamProtocolError


class Stop(msgspec.Struct, tag="stop", frozen=True):
    """Stop the running turn. Answered with Done."""

    chat: ChatId


class End(msgspec.Struct, tag="end", frozen=True):
    """End everything that goes on in the chat, a live run included. Answered with Done."""

    chat: ChatId


class Leave(msgspec.Struct, tag="leave", frozen=True):
    """Release the chat if nothing runs in it. Answered with Done."""

    chat: ChatId
    for_socket: bool
    """A socket of the asking worker takes over; the socket here is closed."""


class Continue(msgspec.Struct, tag="continue", frozen=True):
    """Go on with what was decided outside of the chat. Answered with Done."""

    chat: ChatId


class AskActivity(msgspec.Struct, tag="activity", frozen=True):
    """Say which message is in the making. Answered with Activity."""

    chat: ChatId


class GiveAnswers(msgspec.Struct, tag="answers", frozen=True):
    """Answer calls of a live run. Answered with Opened or Refused."""

    chat: ChatId
    who: Principal
    answers: tuple[Answer, ...]
    message_id: str | None
    style: ApprovalStyleName


class Wake(msgspec.Struct, tag="wake", frozen=True):
    """A record was settled; the call that waits for it should look. Nobody answers."""

    chat: ChatId
    approval_id: str


class SignOut(msgspec.Struct, tag="sign-out", frozen=True):
    """End all that a principal has open. Nobody answers."""

    user: str


Request = Stop | End | Leave | Continue | AskActivity | GiveAnswers
Message = Request | Wake | SignOut


class Done(msgspec.Struct, tag="done", frozen=True):
    """Say whether there was something to do, and it was done."""

    done: bool


class Activity(msgspec.Struct, tag="activity", frozen=True):
    """Name the message in the making: None if nothing goes on, empty if it has no id yet."""

    message_id: str | None


class Opened(msgspec.Struct, tag="opened", frozen=True):
    """Name the log of the turn that the answers opened; None if no live run takes them."""

    log: str | None


class Refused(msgspec.Struct, tag="refused", frozen=True):
    """Carry an error to the worker whose client gets it."""

    status: int
    code: str
    text: str

    @classmethod
    def of(cls, error: StreamProtocolError) -> "Refused":
        """Describe an error that was raised here."""
        return cls(error.status, error.code, error.text)


Reply = Done | Activity | Opened | Refused


class Posted(msgspec.Struct, frozen=True):
    """A message on its way: a request has a number that its reply repeats."""

    sender: str
    message: Message
    number: str | None = None


class Replied(msgspec.Struct, frozen=True):
    """A reply on its way."""

    sender: str
    reply: Reply
    number: str
