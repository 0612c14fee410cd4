"""A socket is open for as long as its client may be here, and no longer."""

import asyncio

import pytest
from starlette.requests import HTTPConnection
from websockets.exceptions import InvalidStatus

from adk_stream_protocol import Limits, MemoryLimiter, Principal, Rate
from adk_stream_protocol.errors import Unauthenticated
from tests.support.clients.http import Json, decision
from tests.support.clients.socket import SocketChat
from tests.support.servers.in_process import Served, clerk, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
SIGNED_OUT, GOING_AWAY, FAILED = 4003, 1001, 1011


class Tokens:
    """Who is signed in, as an application would keep it."""

    def __init__(self) -> None:
        self.names = {"alice", "bob"}
        self.roles = frozenset[str]()
        self.error: Exception | None = None
        self.asked = 0

    def identify(self, connection: HTTPConnection) -> Principal | None:
        self.asked += 1
        if self.error:
            raise self.error
        name = connection.headers.get("x-user", "alice")
        return Principal(name, self.roles) if name in self.names else None


async def closed(socket: SocketChat) -> int | None:
    async with asyncio.timeout(60):
        await socket.connection.wait_closed()
    return socket.connection.close_code


async def answered(socket: SocketChat, request: Json) -> str:
    return (await socket.approve(request)).text


async def test_a_revoked_token_approves_nothing_over_an_open_socket() -> None:
    till, tokens = Till(), Tokens()
    async with serving(clerk(till.tool()), identify=tokens.identify) as served:
        async with served.socket() as socket:
            (request,) = (await socket.say(PAY)).approvals
            tokens.names.remove("alice")
            assert "unauthenticated" in await answered(socket, request)
            assert await closed(socket) == SIGNED_OUT
        assert (await served.states(), till.paid) == (["pending"], [])
        tokens.names.add("alice")
        async with served.socket() as socket:
            assert "paid" in await answered(socket, request)
    assert till.paid == [5]


async def test_a_token_that_now_names_somebody_else_is_signed_out() -> None:
    tokens, name = Tokens(), "alice"

    def identify(connection: HTTPConnection) -> str:
        return name

    async with serving(clerk(Till().tool()), identify=identify) as served:
        async with served.socket() as socket:
            (request,) = (await socket.say(PAY)).approvals
            name = "bob"
            assert "unauthenticated" in await answered(socket, request)
            assert await closed(socket) == SIGNED_OUT
    assert tokens.asked == 0


async def test_a_silent_socket_is_asked_about_every_now_and_then() -> None:
    tokens = Tokens()
    limits = Limits(recheck=0.02)
    async with serving(clerk(), identify=tokens.identify, limits=limits) as served:
        async with served.socket() as socket, served.socket("d", "bob") as other:
            assert (await socket.say("/say 1")).said
            await until(lambda: tokens.asked > 6)
            tokens.names.remove("alice")
            assert await closed(socket) == SIGNED_OUT
            assert (await other.say("/say 1")).said


async def test_who_cannot_be_identified_any_more_has_to_connect_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tokens = Tokens()
    limits = Limits(recheck=0.02)
    async with serving(clerk(), identify=tokens.identify, limits=limits) as served:
        async with served.socket() as socket:
            tokens.error = OSError("the database is away")
            assert await closed(socket) == FAILED
    assert "could not be identified" in caplog.text


async def test_new_roles_count_for_the_next_decision() -> None:
    tokens = Tokens()
    async with serving(clerk(), identify=tokens.identify) as served, served.socket() as socket:
        before = tokens.asked
        tokens.error = Unauthenticated("Please sign in.")
        unknown = {"approvalId": "x", "toolCallId": "x"}
        assert "unauthenticated" in await answered(socket, unknown)
        assert tokens.asked == before + 1


@pytest.mark.parametrize("given", [{"socket_idle": 0.05}, {"socket_lifetime": 0.05}])
async def test_a_socket_does_not_stay_open_for_ever(given: dict[str, float]) -> None:
    async with serving(clerk(), limits=Limits(**given)) as served:  # pyright: ignore[reportArgumentType]
        async with served.socket() as socket:
            assert await closed(socket) == GOING_AWAY


async def test_a_socket_that_is_sent_something_is_not_idle() -> None:
    async with serving(clerk(), limits=Limits(socket_idle=0.05)) as served:
        async with served.socket() as socket:
            assert (await socket.say("/say 3\n/pause 0.3\n/say 3")).types[-1] == "finish"
            assert await closed(socket) == GOING_AWAY


async def test_signing_out_ends_sockets_and_turns_at_once() -> None:
    async with serving(clerk()) as served:
        async with served.socket() as socket, served.socket("d", "bob") as other:
            request = await socket.start({"messages": [said("/say 3\n/hang 600")]})
            await socket.chunk(request, "text-delta")
            hanging = asyncio.create_task(served.say("/say 3\n/hang 600", "over-http"))
            await until(lambda: is_running(served, "over-http"))
            await served.chat.sign_out(Principal("alice"))
            assert await closed(socket) == SIGNED_OUT
            assert (await hanging).types[-1] == "finish"
            await until(lambda: not served.is_live())
            assert (await other.say("/say 1")).said
        async with served.socket() as again:
            assert (await again.say("/say 1")).said


async def test_what_comes_after_signing_out_is_not_read() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        (request,) = (await socket.say(PAY)).approvals
        await served.chat.sign_out("alice")
        part = decision(request, True, "pay")
        message = {"id": "m", "role": "assistant", "parts": [part]}
        try:
            await socket.start({"messages": [message], "messageId": "m"})
        except Exception as error:  # it may be closed already
            assert "close" in repr(error).lower()
        await closed(socket)
        assert (await served.states(), till.paid) == (["pending"], [])


async def test_a_principal_has_so_many_sockets() -> None:
    async with serving(clerk(), limits=Limits(sockets_per_user=1)) as served:
        async with served.socket(), served.socket("d", "bob"):
            answer = await refused(served)
            assert (answer[0], answer[1]["x-error-code"]) == (429, "too-many")
        async with served.socket() as socket:
            assert (await socket.say("/say 1")).said


async def test_a_limiter_counts_messages_of_sockets_too() -> None:
    limiter = MemoryLimiter({"chat": Rate(2, per_second=0.01)})
    async with serving(clerk(), limiter=limiter) as served, served.socket() as socket:
        assert (await socket.say("/say 1")).said and (await served.say("/say 1", "d")).said
        assert "too-many" in (await socket.say("/say 1")).text
        answer = await served.request("POST", "/api/chat", {"id": "d", "messages": [said("/say")]})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "100")


async def test_frames_that_come_too_fast_wait_and_none_is_lost() -> None:
    limits = Limits(frames_at_once=2, frames_per_second=200)
    async with serving(clerk(), limits=limits) as served, served.socket() as socket:
        requests = [await socket.start({}, "resume") for _ in range(20)]
        for request in requests:
            assert (await socket.frame(request))["type"] == "no-active"


def is_running(served: Served, chat: str) -> bool:
    found = served.chat.get("alice", chat)
    return found is not None and found.turn is not None


def said(text: str) -> Json:
    return {"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}


async def refused(served: Served) -> tuple[int, dict[str, str]]:
    with pytest.raises(InvalidStatus) as caught:
        async with served.socket("x"):
            pass
    response = caught.value.response
    return response.status_code, dict(response.headers)
