"""Which calls need approval, which are refused first, and what is noted on them."""

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai.types import FunctionCall
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol import ClientTool, MemoryApprovalStore, Principal
from adk_stream_protocol.adk.approval_requests import (
    UNDECIDED,
    ApprovalRequests,
    in_call_order,
    unquote_live_event,
)
from adk_stream_protocol.adk.chat_calls import chat_of
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.limits import DEFAULT_LIMITS as LIMITS
from tests.support.events import ARGS, call, event, placeholder, response, text
from tests.support.tills import Till, answers

CHAT = ChatId("clerk", "alice", "c")
ALICE = Principal("alice")
LOCATE = ClientTool("locate", "Where?", ttl=5)
LOOK = ClientTool("look", "See.", approval=True)
MADE = event(call("c1", "pay", args=ARGS))


class Slow(MemoryApprovalStore):
    """Stands still before it creates a record."""

    def __init__(self) -> None:
        super().__init__()
        self.there, self.go = asyncio.Event(), asyncio.Event()

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        self.there.set()
        await self.go.wait()
        return await super().create(record, entry)


class Desk:
    """The requests of an agent, and an invocation of it."""

    def __init__(self, *tools: BaseTool, store: MemoryApprovalStore | None = None) -> None:
        self.store = store or MemoryApprovalStore()
        self.book = ApprovalBook(self.store)
        self.requests = ApprovalRequests(self.book)
        self.tools = {tool.name: tool for tool in tools}

    async def context(self) -> InvocationContext:
        sessions = InMemorySessionService()
        session = await sessions.create_session(
            app_name=CHAT.app, user_id=CHAT.user, session_id=CHAT.chat
        )
        agent = LlmAgent(name="clerk", tools=list(self.tools.values()))
        self.requests.calls.remember_tools("i1", "clerk", self.tools)
        return InvocationContext(
            session_service=sessions, invocation_id="i1", agent=agent, session=session
        )

    async def notes(self, *calls: FunctionCall) -> dict[str, Any]:
        made = event(author="clerk")
        return await self.requests.notes(await self.context(), made, list(calls))

    async def states(self) -> list[str]:
        return [one.state.value for one in await self.store.listed(None, None)]

    async def ask(self, number: int, *, denied: bool = False) -> None:
        """A request that was made before."""
        record = await self.book.ask(
            CHAT, f"a{number}", call_id=f"c{number}", invocation_id="i1", tool="pay", arguments=ARGS
        )
        if denied:
            await self.book.decide(record, ALICE, False, None)


def called(name: str, call_id: str | None = "c1", **args: Any) -> FunctionCall:
    return FunctionCall(id=call_id, name=name, args=args)


def dialog(original: object, call_id: str = "a1") -> FunctionCall:
    return FunctionCall(id=call_id, name=CONFIRMATION, args={"originalFunctionCall": original})


@pytest.mark.parametrize(
    "asked", [called("nobody's"), called("free", amount=5), called("pay", None)]
)
async def test_calls_that_nobody_is_asked_about_have_no_notes(asked: FunctionCall) -> None:
    free = Till().tool(False)
    free.name = "free"
    desk = Desk(Till().tool(), free)
    assert await desk.notes(asked) == {} and await desk.states() == []


async def test_adk_asks_about_a_servers_call_itself() -> None:
    desk = Desk(Till().tool())
    assert await desk.notes(called("pay", amount=5)) == {"c1": {"gated": True}}
    assert await desk.states() == [], "the record is made with ADK's own dialog"


async def test_the_record_is_made_with_adks_dialog() -> None:
    desk = Desk(Till().tool())
    original = {"id": "c1", "name": "pay", "args": {"amount": 5}}
    noted = await desk.notes(dialog(original))
    assert noted["c1"]["shown"]["title"] and await desk.states() == ["pending"]
    record = await desk.store.get("a1")
    assert record is not None and (record.call_id, record.tool) == ("c1", "pay")


@pytest.mark.parametrize("original", [None, "c1"])
async def test_a_dialog_about_nothing_makes_no_record(original: object) -> None:
    desk = Desk(Till().tool())
    assert await desk.notes(dialog(original)) == {} and await desk.states() == []


async def test_a_dialog_about_a_tool_that_is_gone_is_still_recorded() -> None:
    desk = Desk()
    noted = await desk.notes(dialog({"id": "c1", "name": "pay"}))
    assert list(noted) == ["c1"] and await desk.states() == ["pending"]


async def test_browser_calls_are_marked_and_asked_about_where_they_need_it() -> None:
    desk = Desk(LOCATE, LOOK)
    noted = await desk.notes(called("locate", "b1"), called("look", "b2"))
    assert noted["b1"] == {"browser": True, "ttl": 5}
    assert noted["b2"]["browser"] and noted["b2"]["approvalId"].startswith("adk-")
    assert await desk.states() == ["pending"]


async def test_a_browser_call_that_is_refused_asks_nobody() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}
    desk = Desk(ClientTool("look", "See.", parameters=schema, approval=True))
    assert await desk.notes(called("look", "b1")) == {"b1": {"browser": True}}
    assert await desk.states() == []


@pytest.mark.parametrize(
    ("answer", "required"), [(False, False), (True, True), ("no", "no"), (None, None)]
)
async def test_what_a_tool_says_of_itself(answer: object, required: object) -> None:
    desk, tool = Desk(), Till().tool(answers(answer))
    context = ToolContext(await desk.context(), function_call_id="c1")
    assert await desk.requests.requires(tool, {"amount": 5}, context) == required


async def test_a_predicate_that_raises_decides_nothing() -> None:
    desk, tool = Desk(), Till().tool(answers(RuntimeError("no rules today")))
    context = ToolContext(await desk.context(), function_call_id="c1")
    assert await desk.requests.requires(tool, {"amount": 5}, context) is UNDECIDED
    gated = Desk(tool)
    assert await gated.notes(called("pay", amount=5)) == {"c1": {"gated": True}}


async def test_wrong_arguments_are_refused() -> None:
    desk, tool = Desk(), Till().tool()
    context = await desk.context()
    assert await desk.requests.why_not(tool, {"amount": 5}, context) is None
    why = await desk.requests.why_not(tool, {"amount": "five"}, context)
    assert why is not None and why.startswith("The arguments are not valid")


async def test_no_more_requests_than_so_many_are_open() -> None:
    desk, tool = Desk(), Till().tool()
    context = await desk.context()
    for number in range(LIMITS.approvals_per_turn - 1):
        await desk.ask(number)
    assert await desk.requests.why_not(tool, {"amount": 5}, context) is None
    desk.requests.calls.let_through((CHAT, "c-on-its-way"))
    why = await desk.requests.why_not(tool, {"amount": 5}, context)
    assert why == f"No more than {LIMITS.approvals_per_turn} approvals can be open."
    desk.requests.calls.forget_let_through(CHAT)
    assert await desk.requests.why_not(tool, {"amount": 5}, context) is None


async def test_a_tool_that_was_denied_often_is_not_asked_about_again() -> None:
    desk, tool = Desk(), Till().tool()
    context = await desk.context()
    for number in range(LIMITS.denials_per_turn):
        assert await desk.requests.why_not(tool, {"amount": 5}, context) is None
        await desk.ask(number, denied=True)
    why = await desk.requests.why_not(tool, {"amount": 5}, context)
    assert why is not None and "do not ask again" in why
    other = Till().tool()
    other.name = "refund"
    assert await desk.requests.why_not(other, {"amount": 5}, context) is None


async def test_what_is_let_through_is_so_until_it_is_asked() -> None:
    desk = Desk(Till().tool())
    calls = desk.requests.calls
    calls.let_through((CHAT, "c1"))
    calls.let_through((CHAT, "c2"))
    assert calls.let_through_in(CHAT) == {"c1", "c2"}
    await desk.notes(dialog({"id": "c1", "name": "pay", "args": ARGS}))
    assert calls.let_through_in(CHAT) == {"c2"}
    assert calls.let_through_in(ChatId("clerk", "bob", "c")) == set()


async def test_a_call_that_we_ask_about_is_taken_once() -> None:
    calls = Desk().requests.calls
    calls.add_asked((CHAT, "c1"))
    assert calls.take_asked((CHAT, "c1")) and not calls.take_asked((CHAT, "c1"))


async def test_a_run_that_is_cut_off_while_it_asks_takes_its_requests_back() -> None:
    store = Slow()
    desk = Desk(LOOK, store=store)
    asking = asyncio.create_task(desk.notes(called("look", "b1")))
    await asyncio.wait_for(store.there.wait(), 60)
    asking.cancel()
    await asyncio.sleep(0)
    store.go.set()
    await asyncio.wait([asking])
    assert asking.cancelled() and await desk.states() == ["cancelled"]


async def test_a_chat_is_named_by_its_session() -> None:
    assert chat_of((await Desk().context()).session) == CHAT


async def session_of(*events: Event) -> Any:
    context = await Desk().context()
    context.session.events = list(events)
    return context.session


def ids(parts: list[Any]) -> list[str]:
    return [part.function_response.id for part in parts if part.function_response]


@given(st.permutations(["c1", "c2", "c3"]), st.integers(1, 3))
def test_answers_are_in_the_order_of_the_calls_once_all_are_in(
    order: list[str], together: int
) -> None:
    """However they come in, one by one or several at once: the last event has all of them."""
    asked = event(*(call(one, "pay", args=ARGS) for one in ("c1", "c2", "c3")))
    first, last = order[:-together], order[-together:]
    earlier = [event(response(one, "pay", {"paid": one})) for one in first]
    now = event(*(response(one, "pay", {"paid": one}) for one in last))

    async def scene() -> list[Any]:
        return in_call_order(await session_of(asked, *earlier), now)

    parts = asyncio.run(scene())
    assert ids(parts) == ["c1", "c2", "c3"]
    assert [part.function_response.response for part in parts] == [
        {"paid": one} for one in ("c1", "c2", "c3")
    ]


async def test_answers_wait_for_nobody_and_other_parts_stay() -> None:
    asked = event(call("c1", "pay", args=ARGS), call("c2", "pay", args=ARGS))
    session = await session_of(event(text("Hi"), author="user"), asked)
    now = event(response("c2", "pay", {"paid": 2}), text("done"))
    parts = in_call_order(session, now)
    assert ids(parts) == ["c2"] and parts[-1].text == "done"
    stand_in = placeholder("c1")
    assert in_call_order(session, stand_in) == (stand_in.content and stand_in.content.parts)


async def test_an_answer_to_a_call_of_an_unknown_turn_stays_as_it_is() -> None:
    now = event(response("c9", "pay", {"paid": 9}))
    assert ids(in_call_order(await session_of(), now)) == ["c9"]
    other = event(text("Hi"), author="user")
    assert ids(in_call_order(await session_of(MADE, other), now)) == ["c9"]


@pytest.mark.parametrize(
    ("part", "quoted"),
    [
        (call("c1", "pay"), False),
        (text("Hello"), False),
        (call("c1", "transfer_to_agent"), True),
        (response("c1", "transfer_to_agent", {}), True),
    ],
    ids=["call", "text", "handing over", "handed over"],
)
def test_only_a_handing_over_stays_a_quote(part: Any, quoted: bool) -> None:
    made = event(part, live_session_id="live-1")
    unquote_live_event(made)
    assert made.live_session_id == ("live-1" if quoted else None)
