"""The socket side: commands in, turns out. What a turn is, is decided elsewhere.

One reader for the life of the socket, which never waits for what is being sent.
"""

import logging
from secrets import token_hex
from typing import Any

from starlette import types as asgi
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.engine import LongEngine
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import chat_id_of, checked_chat_id, decode_turn
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import BadRequest, StreamProtocolError, Unauthenticated
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.protocol.frames import (
    Abort,
    Command,
    Envelopes,
    Ping,
    Resume,
    SdkFrames,
    Send,
    Speech,
    dialect_of,
    parse_frame,
    request_id_of,
    unknown_type,
)
from adk_stream_protocol.protocol.sse import encode_value
from adk_stream_protocol.transports.admission import (
    Admission,
    approval_style_of,
    error_response,
    error_text,
    parsed,
)
from adk_stream_protocol.transports.outbox import Outbox, Reply
from adk_stream_protocol.transports.socket_watch import Watch

logger = logging.getLogger(__name__)

REPLACED, SIGNED_OUT = 4001, 4003
MAX_ANNOUNCED = 4


class LiveEndpoint:
    """Sockets for live chats; an ASGI app, since every layer around one costs each message."""

    def __init__(self, chats: Chats, admission: Admission) -> None:
        self._chats = chats
        self._admission = admission

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        websocket = WebSocket(scope, receive, send)
        try:
            who = await self._admission.principal(websocket, "live")
            style = approval_style_of(websocket, None)
            chat_id = websocket.query_params.get("chatId")
            chat_id = chat_id and checked_chat_id(chat_id)
            slot = self._admission.sockets.slots.take(who.id)
        except StreamProtocolError as error:
            await websocket.send_denial_response(error_response(error))
            return
        with slot:
            await websocket.accept()
            socket = Socket(websocket, send, self._chats, self._admission, who, style, chat_id)
            await socket.run()


class Socket:
    """One client on one socket."""

    def __init__(
        self,
        websocket: WebSocket,
        send: asgi.Send,
        chats: Chats,
        admission: Admission,
        who: Principal,
        style: ApprovalStyleName | None,
        chat_id: str | None,
    ) -> None:
        self._websocket = websocket
        self._limits = admission.limits
        self._out = Outbox(websocket, send, self._limits.stalled)
        self._chats = chats
        self._admission = admission
        self._watch = Watch(self._limits, self._out)
        self._who = who
        self._style: ApprovalStyleName | None = style
        self._chat_id = chat_id
        self._dialect: SdkFrames | Envelopes | None = None
        self._runs: list[LongEngine] = []
        self._is_replaced = self._is_signed_out = False
        self._announced: list[Turn] = []
        """Turns of the server's that the client has not asked for yet; they may be over by then."""

    async def run(self) -> None:
        """Serve until the client leaves."""
        sockets, user = self._admission.sockets, self._who.id
        sockets.add(user, self)
        self._watch.begin(self._look)
        try:
            while True:
                message = await self._websocket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                await self._watch.frame()
                text: str | None = message.get("text")
                raw: bytes = text.encode() if text is not None else message.get("bytes") or b""
                await self._take(raw, is_text=text is not None)
        except WebSocketDisconnect:
            pass
        finally:
            sockets.remove(user, self)
            self._watch.end()
            for run in self._runs:
                run.socket.detach(self)
            self._out.cancel()

    def sign_out(self) -> None:
        """Do nothing more for this client, and close."""
        self._is_signed_out = True
        self._out.cancel()
        self._out.close_soon(SIGNED_OUT, "please sign in again")

    async def _recheck(self) -> None:
        """Ask again who this is, or raise Unauthenticated: a token may have been revoked."""
        who = await self._admission.identified(self._websocket)
        if who.id != self._who.id:
            raise Unauthenticated("Please sign in.")
        self._who = who
        self._watch.identified()

    async def _look(self) -> None:
        try:
            await self._recheck()
        except Unauthenticated:
            self.sign_out()
            raise

    async def _take(self, raw: bytes, *, is_text: bool) -> None:
        if self._is_signed_out:
            return
        if not is_text and isinstance(self._dialect, Envelopes):
            await self._do(Speech(None, raw))
            return
        request_id = ""
        try:
            frame = await parsed(parse_frame, raw, self._limits)
            request_id = request_id_of(frame, self._limits)
            command = self._read(frame)
        except StreamProtocolError as error:
            await self._refuse(self._reply(request_id), error)
        else:
            await self._do(command)

    def _read(self, frame: dict[str, Any]) -> Command:
        if self._dialect is None:
            self._dialect = dialect_of(frame, self._limits)
        if frame["type"] not in self._dialect.types:
            raise unknown_type(frame)
        return self._dialect.read(frame)

    async def _do(self, command: Command) -> None:
        request_id = "" if isinstance(command, Ping | Speech) else command.request_id
        reply = self._reply(request_id)
        try:
            if self._watch.is_due:
                await self._recheck()
            await self._carry_out(command, reply)
        except Unauthenticated as error:
            await self._refuse(reply, error)
            self.sign_out()
        except StreamProtocolError as error:
            await self._refuse(reply, error)
        except WebSocketDisconnect:
            raise
        except Exception as error:
            reference = token_hex(4)
            log_failure(logger, error, "frame failed, reference %s", reference)
            await self._refuse(reply, StreamProtocolError("Something went wrong."), reference)

    async def _carry_out(self, command: Command, reply: Reply) -> None:
        match command:
            case Send():
                await self._open(command, reply)
            case Resume():
                await self._resume(command, reply)
            case Abort():
                await self._abort(command)
            case Speech():
                await self._speak(command)
            case Ping():
                await self._out.send([encode_value(command.body)])

    async def _open(self, command: Send, reply: Reply) -> None:
        assert self._dialect is not None
        chat_id = chat_id_of(command.request, self._chat_id or f"chat-{token_hex(12)}")
        if isinstance(self._dialect, Envelopes):
            self._chat_id = chat_id
        turn_input = decode_turn(command.request, self._limits)
        if turn_input.answers:
            await self._recheck()
        await self._admission.count(self._who, "chat")
        usual: ApprovalStyleName = "native" if isinstance(self._dialect, SdkFrames) else "adk-tool"
        try:
            turn = await self._chats.open_turn(
                self._who, chat_id, turn_input, self._style or usual, live=True
            )
        finally:
            self._attach(chat_id)  # also to a run that could not answer: it ends with the socket
        self._out.follow(command.request_id, turn, reply)

    async def _resume(self, command: Resume, reply: Reply) -> None:
        chat_id = self._named(command.chat_id)
        self._attach(chat_id)
        turn = self._announced_in(chat_id) or await self._chats.readable(self._who.id, chat_id)
        if turn is None:
            await self._out.answer(reply, [reply.no_active()])
            return
        if start := reply.start():
            await self._out.send([start])
        self._out.follow(command.request_id, turn, reply, from_message_start=True)

    async def _abort(self, command: Abort) -> None:
        if command.request_id:
            turn = self._out.turn_of(command.request_id)
            if turn and not turn.ended:
                await self._chats.stop(turn.chat_id.user, turn.chat_id.chat)
        else:
            await self._chats.stop(self._who.id, self._named(command.chat_id))

    async def _speak(self, command: Speech) -> None:
        chat_id = self._named(command.chat_id)
        run = self._chats.of(self._who.id, chat_id).start_live()
        self._attach(chat_id)
        await run.speak(command.pcm)

    def _named(self, chat_id: str | None) -> str:
        name = chat_id or self._chat_id
        if not name:
            raise BadRequest("$.id: the id of the chat is missing")
        return checked_chat_id(name)

    def _attach(self, chat_id: str) -> None:
        chat = self._chats.get(self._who.id, chat_id)
        if chat and (run := chat.live):
            if self._is_replaced and run.socket.is_attached:
                return  # a frame was under way; the newer socket keeps the chat
            run.socket.attach(self)
            others = [one for one in self._runs if one is not run and not one.is_closing]
            self._runs = [*others, run]
            if len(self._runs) > self._limits.live_chats_per_socket:
                self._runs.pop(0).socket.detach(self)

    def turn_started(self, turn: Turn) -> None:
        """The server began a turn of its own in a chat of this socket."""
        assert self._dialect is not None
        notice = self._dialect.server_turn(turn.chat_id.chat)
        if notice is None:
            self._out.follow("", turn, self._dialect.reply(""))
        else:
            self._announced = [*self._announced[1 - MAX_ANNOUNCED :], turn]
            self._out.send_soon([notice])

    def _announced_in(self, chat_id: str) -> Turn | None:
        for turn in self._announced:
            if turn.chat_id.chat == chat_id:
                self._announced.remove(turn)
                return turn
        return None

    def replaced(self) -> None:
        """The chat was opened on another socket; the newest one has it."""
        self._is_replaced = True
        self._out.close_soon(REPLACED, "this chat was opened elsewhere")

    def _reply(self, request_id: str) -> Reply:
        return (self._dialect or Envelopes()).reply(request_id)

    async def _refuse(
        self,
        reply: Reply,
        error: StreamProtocolError,
        reference: str | None = None,
    ) -> None:
        await self._out.answer(reply, reply.error(error_text(error, reference)))
