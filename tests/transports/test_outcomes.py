"""Each way a call can end without a result, read back by its code: here, and by another worker."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import Principal
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.protocol.chunks import OUTCOMES
from tests.support.clients.http import Json
from tests.support.servers.history import PAY, SOUND, Stored

CALL = '/call pay {"amount": 5}'


def explode() -> dict[str, Any]:
    """Fail."""
    raise ValueError("no")


TOOLS = (PAY, SOUND, FunctionTool(explode))


async def asked(served: Stored) -> ApprovalRecord:
    (request,) = (await served.say(CALL)).approvals
    record = await served.store.get(request["approvalId"])
    assert record is not None
    return record


async def denied(served: Stored) -> None:
    (request,) = (await served.say(CALL)).approvals
    await served.answer([request], False)


async def expired(served: Stored) -> None:
    await served.say("/call sound {}")


async def cancelled(served: Stored) -> None:
    await served.say(CALL)
    await served.say("hello")


async def withdrawn(served: Stored) -> None:
    """By the record alone: its process ended before it could tell the session."""
    await served.chat.book.withdraw(await asked(served))


async def unknown(served: Stored) -> None:
    book = served.chat.book
    record = await book.decide(await asked(served), Principal("alice"), True, None)
    started = await book.claim(record, {"amount": 5})
    assert started is not None
    await book.lose(started)
    await served.say("hello")


async def refused(served: Stored) -> None:
    await served.say("/call nosuch {}")


async def failed(served: Stored) -> None:
    await served.say("/call explode {}")


WAYS: list[Callable[[Stored], Awaitable[None]]] = [
    denied,
    expired,
    cancelled,
    withdrawn,
    unknown,
    refused,
    failed,
]


def codes(message: Json) -> list[str]:
    data = [part["data"] for part in message["parts"] if part["type"].startswith("data-")]
    return [one["outcome"] for one in data if "outcome" in one]


@pytest.mark.parametrize("style", ["native", "adk-tool"])
@pytest.mark.parametrize("end", WAYS, ids=lambda end: end.__name__)
async def test_the_history_says_how_a_call_ended(
    end: Callable[[Stored], Awaitable[None]], style: str
) -> None:
    ttl = -1 if end is expired else 600
    served = Stored(*TOOLS, client_tool_ttl=ttl)
    await end(served)
    stores: Json = {"session_service": served.sessions, "approval_store": served.store}
    another = Stored(*TOOLS, client_tool_ttl=ttl, **stores)
    for reader in (served, another):
        message = (await reader.messages(f"?approvals={style}"))[1]
        assert codes(message) == [end.__name__]


def test_there_is_a_way_to_each_code() -> None:
    assert {end.__name__ for end in WAYS} == set(OUTCOMES)
