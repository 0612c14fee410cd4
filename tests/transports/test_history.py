"""The messages of a chat over HTTP: every way a call can stand, and turns that run meanwhile."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.base_session_service import BaseSessionService

from adk_stream_protocol import ApprovalPolicy, Principal
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.convert.history.message_builder import MessageFold
from adk_stream_protocol.protocol.messages import parse_request
from tests.support.clients.http import Json, Reply, decision, output
from tests.support.servers.history import (
    LOCATE,
    PAY,
    SERVICES,
    SOUND,
    Stored,
    session_service,
    text_of,
    tools_of,
)
from tests.support.servers.without_network import until


@pytest.fixture(params=SERVICES)
async def sessions(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseSessionService]:
    async with session_service(request.param, tmp_path) as service:
        yield service


async def test_a_conversation_in_any_session_service(sessions: BaseSessionService) -> None:
    served = Stored(PAY, session_service=sessions)
    await served.say("hello")
    asked = await served.say('/call pay {"amount": 5}')
    await served.answer(asked.approvals, True)
    found = await served.messages()
    assert [one["role"] for one in found] == ["user", "assistant"] * 2
    assert [text_of(one) for one in found[::2]] == ["hello", '/call pay {"amount": 5}']
    (call,) = tools_of(found[3])
    assert call["state"] == "output-available" and call["output"] == {"paid": 5}
    assert call["approval"] == {"id": asked.approvals[0]["approvalId"], "approved": True}
    assert len({one["id"] for one in found}) == 4


async def test_an_open_approval_is_answered_under_the_stored_id() -> None:
    served = Stored(PAY)
    asked = await served.say('/call pay {"amount": 5}')
    (request,) = asked.approvals
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "approval-requested"
    assert call["approval"] == {"id": request["approvalId"]}
    shown = [p for p in (await served.messages())[-1]["parts"] if p["type"] == "data-approval"]
    assert shown == asked.of_type("data-approval")
    done = await served.answer_with(decision(request, True, "pay", reason="fine"))
    assert done.chunks[0]["messageId"] == (await served.messages())[-1]["id"]
    (call,) = tools_of((await served.messages())[-1])
    assert call["approval"]["approved"] is True and call["approval"]["reason"] == "fine"
    assert len(await served.messages()) == 2


async def test_a_browser_call_from_request_to_result() -> None:
    served = Stored(LOCATE)
    (request,) = (await served.say("/call locate {}")).approvals
    await served.answer_with(decision(request, True, "locate"))
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "input-available" and call["approval"]["approved"] is True
    await served.answer_with(output(call["toolCallId"], {"x": 1}, "locate"))
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "output-available" and call["output"] == {"x": 1}


async def test_denied_cancelled_and_expired_requests_are_over() -> None:
    served = Stored(PAY, LOCATE, approval_ttl=600)
    asked = await served.say('/call pay {"amount": 5}')
    await served.answer(asked.approvals, False)
    await served.say('/call pay {"amount": 6}')
    await served.say("never mind")
    states = [call["state"] for one in await served.messages() for call in tools_of(one)]
    assert states == ["output-denied", "output-error"]
    late = Stored(PAY, approval_ttl=0)
    await late.say('/call pay {"amount": 7}')
    (call,) = tools_of((await late.messages())[-1])
    assert call["state"] == "output-error" and "expired" in call["errorText"]
    assert "approval" not in call and await late.states() == ["expired"]


async def test_a_browser_call_that_nobody_ran_in_time_is_over() -> None:
    served = Stored(SOUND, LOCATE, client_tool_ttl=-1)
    await served.say("/call sound {}")
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "output-error" and "expired" in call["errorText"]
    await served.say("/call locate {}")
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "approval-requested"


async def test_who_must_decide_next_is_shown() -> None:
    policy = ApprovalPolicy("pay", steps=("clerk", "boss"))
    served = Stored(PAY, policies=[policy])
    (request,) = (await served.say('/call pay {"amount": 5}')).approvals
    await served.decide(request["approvalId"], True, "carol", "clerk")
    (shown,) = [p for p in (await served.messages())[-1]["parts"] if p["type"] == "data-approval"]
    assert shown["data"]["waitsFor"] == "boss"


async def test_a_decision_that_the_run_has_not_taken_up() -> None:
    served = Stored(PAY)
    (request,) = (await served.say('/call pay {"amount": 5}')).approvals
    record = await served.store.get(request["approvalId"])
    assert record is not None
    await served.chat.book.decide(record, Principal("alice"), True, None)
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "approval-responded" and call["approval"]["approved"] is True
    done = await served.answer_with(decision(request, True, "pay"))
    assert done.of_type("tool-output-available")[0]["output"] == {"paid": 5}


async def test_an_approved_call_that_the_user_left_behind() -> None:
    served = Stored(LOCATE)
    (request,) = (await served.say("/call locate {}")).approvals
    record = await served.store.get(request["approvalId"])
    assert record is not None
    decided = await served.chat.book.decide(record, Principal("alice"), True, None)
    await served.chat.book.cancel(decided, "gone")
    assert await served.states() == ["lapsed"]
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "output-error" and call["approval"]["approved"] is True


async def test_a_call_that_was_cut_off_is_over_unless_a_turn_runs() -> None:
    async def hang() -> None:
        """Never ends."""
        began.set()
        await asyncio.Event().wait()

    began = asyncio.Event()
    served = Stored(hang)
    turn = asyncio.create_task(served.say("/call hang {}"))
    await asyncio.wait_for(began.wait(), 60)
    served.activity.message_id = ""
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "input-available"
    await served.stop()
    await turn
    served.activity.message_id = None
    (call,) = tools_of((await served.messages())[-1])
    assert call["state"] == "output-error"


async def test_the_message_of_a_running_turn_is_left_out() -> None:
    served = Stored()
    await served.say("/say 2")
    await served.say("/say 3")
    whole = await served.messages()
    served.activity.message_id = whole[-1]["id"]
    assert await served.messages() == whole[:-1]
    served.activity.message_id = ""
    assert await served.messages() == whole


async def test_a_turn_that_begins_before_its_chat_is_stored() -> None:
    served = Stored()
    served.activity.message_id = "msg-1"
    assert await served.messages() == []


async def test_a_turn_that_ends_during_the_reading_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served = Stored()
    await served.say("/say 2")
    whole = await served.messages()
    served.activity.message_id = whole[-1]["id"]
    read = served.sessions.get_session

    async def get_session(**key: Any) -> Any:
        session = await read(**key)
        served.activity.message_id = None
        return session

    monkeypatch.setattr(served.sessions, "get_session", get_session)
    assert await served.messages() == whole


async def test_the_style_of_approvals_is_the_callers_choice() -> None:
    served = Stored(PAY)
    await served.say('/call pay {"amount": 5}')
    names = [call["type"] for call in tools_of((await served.messages("?approvals=adk-tool"))[-1])]
    assert names == ["tool-pay", "tool-adk_request_confirmation"]
    wrong = await served.request("GET", "/api/chat/c/messages?approvals=maybe")
    assert wrong.status_code == 422


async def test_files_of_the_user_and_odd_results_of_tools() -> None:
    def odd() -> dict[str, Any]:
        """What no JSON takes."""
        return {"nan": float("nan"), "bytes": b"x", "__proto__": {"a": 1}, "object": object}

    served = Stored(odd)
    file = {"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,aGk="}
    ask = {"type": "text", "text": "/call odd {}"}
    message = {"id": "u", "role": "user", "parts": [file, ask]}
    reply = await served.request("POST", "/api/chat", {"id": "c", "messages": [message]})
    sent = Reply(reply.status_code, reply.text).of_type("tool-output-available")
    found = await served.messages()
    assert found[0]["parts"] == [file, ask]
    assert tools_of(found[1])[0]["output"] == sent[0]["output"]
    assert "__proto__" not in sent[0]["output"]


async def test_a_decision_from_elsewhere_shows_when_the_chat_has_gone_on() -> None:
    policy = ApprovalPolicy("pay", steps=("boss",))
    served = Stored(PAY, policies=[policy])
    (request,) = (await served.say('/call pay {"amount": 5}')).approvals
    await served.decide(request["approvalId"], False, "bob", "boss", reason="too much")

    async def denied() -> bool:
        (call,) = tools_of((await served.messages())[-1])
        return call["state"] == "output-denied" and call["approval"]["reason"] == "too much"

    await until(denied)


class LivePage:
    """What a client makes of live turns: one message at a time."""

    def __init__(self, chat: Chats) -> None:
        self._chat = chat
        self.message = MessageFold()

    async def say(self, text: str) -> None:
        self.message = MessageFold()
        await self._send({"message": {"role": "user", "content": text}})

    async def answer(self, **fields: Any) -> None:
        """Answer the one call, as the SDK would change its part."""
        (part,) = tools_of(self.message.message())
        part.update(fields)
        sent = {"id": self.message.id, "role": "assistant", "parts": [part]}
        await self._send({"messages": [sent], "messageId": self.message.id})

    async def _send(self, body: Json) -> None:
        asked = decode_turn(parse_request(json.dumps(body).encode()))
        turn = await self._chat.open_turn(Principal("alice"), "c", asked, "native", live=True)
        async for batch in turn.batches(10):
            assert batch, "nothing came for long"
            self.message.add(batch)


async def test_live_turns_are_stored_as_they_were_streamed() -> None:
    served = Stored(PAY, LOCATE)
    page = LivePage(served.chat)

    async def is_stored() -> bool:
        stored, streamed = (await served.messages())[-1], page.message.message()
        return [stored["parts"], stored["metadata"]] == [streamed["parts"], streamed["metadata"]]

    await page.say("/say 3")
    assert await is_stored()
    await page.say('/say 2\n/call pay {"amount": 5}')
    assert await is_stored()
    (call,) = tools_of(page.message.message())
    approved = {"id": call["approval"]["id"], "approved": True}
    await page.answer(state="approval-responded", approval=approved)
    assert await is_stored() and call["output"] == {"paid": 5}
    await page.say("/call locate {}")
    (call,) = tools_of(page.message.message())
    approved = {"id": call["approval"]["id"], "approved": True}
    await page.answer(state="approval-responded", approval=approved)
    assert await is_stored() and call["state"] == "input-available"
    await page.answer(state="output-available", output={"x": 1})
    assert await is_stored()
    assert [one["role"] for one in await served.messages()] == ["user", "assistant"] * 3
    await served.chat.close()
