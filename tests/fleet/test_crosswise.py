"""What one worker runs, any other resumes, stops, shows and deletes."""

from tests.fleet.conftest import OpenChat
from tests.support.clients.roamer import nothing_runs, pay, texts
from tests.support.clients.socket import said

SLOW = "/say 3\n/hang 2\n/say 2"
HANGING = "/say 3\n/hang 600"
WHOLE = "1 2 3 1 2 "


async def test_a_running_answer_is_read_on_every_worker(open_chat: OpenChat) -> None:
    chat = open_chat()
    async with chat.streaming(said(SLOW)) as first:
        await first.until("1 2 3 ")
        async with chat.streaming() as second, chat.streaming() as third:
            replies = [await one.rest() for one in (first, second, third)]
    assert [reply.said for reply in replies] == [WHOLE] * 3
    assert replies[0].chunks == replies[1].chunks == replies[2].chunks
    for _ in range(4):
        await nothing_runs(chat)
    assert texts(await chat.messages(), "assistant") == [WHOLE]


async def test_a_socket_resumes_what_http_began_and_the_reverse(open_chat: OpenChat) -> None:
    chat = open_chat()
    async with chat.streaming(said(SLOW)) as first:
        await first.until("1 2 3 ")
        async with chat.socket() as socket:
            assert (await socket.resume()).said == WHOLE
        assert (await first.rest()).said == WHOLE
    async with chat.socket() as socket:
        request = await socket.start_saying(SLOW)
        for _ in range(3):
            await socket.chunk(request, "text-delta")
        async with chat.streaming() as second:
            assert (await second.rest()).said == WHOLE
        assert "error" not in (await socket.reply(request)).types
        async with chat.socket() as other:
            await nothing_runs(other)


async def test_stop_reaches_the_worker_that_runs_it(open_chat: OpenChat) -> None:
    chat = open_chat()
    for _ in range(2):
        async with chat.streaming(said(HANGING)) as running:
            await running.until("1 2 3 ")
            assert await chat.stop()
            assert (await running.rest()).types[-1] == "finish"
        assert not await chat.stop()
        assert (await chat.say("/say 1")).said == "1 "
    assert texts(await chat.messages(), "assistant") == ["1 2 3 ", "1 "] * 2


async def test_a_live_turn_is_stopped_from_elsewhere(open_chat: OpenChat) -> None:
    chat = open_chat()
    async with chat.socket() as socket:
        for _ in range(2):
            request = await socket.start_saying(HANGING)
            await socket.chunk(request, "text-delta")
            async with chat.socket() as other:
                resumed = await other.start({}, "resume")
                await other.chunk(resumed, "text-delta")
                await other.start({"targetRequestId": resumed, "requestId": resumed}, "abort")
                assert (await other.reply(resumed)).types[-1] == "finish"
            assert (await socket.reply(request)).types[-1] == "finish"
            request = await socket.start_saying(HANGING)
            await socket.chunk(request, "text-delta")
            assert await chat.stop()
            assert (await socket.reply(request)).types[-1] == "finish"
    assert (await chat.say("/say 2")).said == "1 2 "


async def test_the_unfinished_message_is_in_no_workers_history(open_chat: OpenChat) -> None:
    chat = open_chat()
    await chat.say("/say 1")
    slow = '/call get_weather {"location": "Tokyo"}\n/then\n/say 3\n/hang 600'
    async with chat.streaming(said(slow)) as running:
        await running.until("1 2 3 ")
        for _ in range(4):
            found = await chat.messages()
            assert [one["role"] for one in found] == ["user", "assistant", "user"]
        assert await chat.stop()
        await running.rest()
    for _ in range(4):
        found = await chat.messages()
        assert texts(found, "assistant")[0] == "1 " and len(found) == 4
        assert found[-1]["id"] in running.text


async def test_a_second_message_is_refused_by_every_worker_while_a_turn_runs(
    open_chat: OpenChat,
) -> None:
    chat = open_chat()
    async with chat.streaming(said(HANGING)) as running:
        await running.until("1 ")
        for _ in range(4):
            reply = await chat.say("/say 1")
            assert (reply.status, "busy" in reply.text) == (409, True)
        assert await chat.stop()
        await running.rest()


async def test_deleting_ends_what_runs_elsewhere(open_chat: OpenChat) -> None:
    running, waiting = open_chat(), open_chat()
    async with running.streaming(said(HANGING)) as stream, waiting.socket() as socket:
        await stream.until("1 ")
        (request,) = (await socket.say(pay("nobody"))).approvals
        assert await running.delete() == await waiting.delete() == 204
        assert (await stream.rest()).types[-1] == "finish"
        assert (await waiting.decide(request["approvalId"], True)).status_code == 409
    for chat in (running, waiting):
        for _ in range(4):
            found = await chat.request("GET", f"/api/chat/{chat.id}/messages")
            assert found.status_code == 404


async def test_all_workers_list_the_same_chats(open_chat: OpenChat) -> None:
    chat = open_chat()
    await chat.say("Hello there")
    found = [(await chat.request("GET", "/api/chats")).json() for _ in range(4)]
    assert found == [found[0]] * 4 and [one["title"] for one in found[0]] == ["Hello there"]
