"""The stored chats: as messages, in a list, and deleted with all that waits in them."""

from collections.abc import Sequence
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types

from adk_stream_protocol import ClientTool
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal
from adk_stream_protocol.chats import archive as module
from adk_stream_protocol.chats.archive import ChatArchive
from adk_stream_protocol.errors import Busy, Unavailable, UnknownId
from tests.support.desk import ALICE, Desk, verdict
from tests.support.tills import Till

BOB = Principal("bob")
PAY = '/call pay {"amount": 5}'


class Sessions(InMemorySessionService):
    """Counts its reads; fails if it is told so."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.is_broken = False

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        self.reads += 1
        if self.is_broken:
            raise OSError("the disk is gone")
        return await super().get_session(
            app_name=app_name, user_id=user_id, session_id=session_id, config=config
        )


class Activity:
    """What goes on in the chats, as the test says: one answer after another, the last for good."""

    def __init__(self, *making: str | None) -> None:
        self.making: Sequence[str | None] = making
        self.ended: list[tuple[str, str]] = []
        self.runs = False

    async def message_in_the_making(self, user_id: str, chat_id: str) -> str | None:
        now, *rest = self.making
        self.making = rest or self.making
        return now

    async def end(self, user_id: str, chat_id: str) -> None:
        self.ended.append((user_id, chat_id))

    def is_running(self, record: ApprovalRecord) -> bool:
        return self.runs


class Library:
    """A desk, and the archive of its chats."""

    def __init__(self, *tools: Any, activity: Activity | None = None, **options: Any) -> None:
        self.sessions = Sessions()
        self.desk = Desk(*tools, sessions=self.sessions, **options)
        self.activity = activity or Activity(None)
        self.archive = ChatArchive(
            self.desk.runner, self.desk.book, self.activity, client_tool_ttl=600
        )

    async def parts(self) -> list[dict[str, Any]]:
        """The parts of the last message."""
        return (await self.archive.messages(ALICE, "c"))[-1]["parts"]

    async def tool_part(self) -> dict[str, Any]:
        (part,) = [one for one in await self.parts() if one["type"].startswith("tool-")]
        return part


async def test_a_chat_is_read_as_messages_by_its_owner_alone() -> None:
    library = Library()
    await library.desk.say("hello")
    found = await library.archive.messages(ALICE, "c")
    assert [one["role"] for one in found] == ["user", "assistant"]
    for who, chat in [(BOB, "c"), (ALICE, "other")]:
        with pytest.raises(UnknownId):
            await library.archive.messages(who, chat)


async def test_a_chat_whose_first_message_is_being_made_is_empty() -> None:
    library = Library(activity=Activity(""))
    assert await library.archive.messages(ALICE, "c") == []


async def test_the_message_in_the_making_is_left_out() -> None:
    library = Library()
    await library.desk.say("hello")
    (_, answer) = await library.archive.messages(ALICE, "c")
    library.activity.making = [answer["id"]]
    assert [one["role"] for one in await library.archive.messages(ALICE, "c")] == ["user"]


async def test_a_chat_is_read_again_if_a_turn_began_or_ended_meanwhile() -> None:
    library = Library()
    await library.desk.say("hello")
    (_, answer) = await library.archive.messages(ALICE, "c")
    library.activity.making = [None, answer["id"], answer["id"]]
    library.sessions.reads = 0
    assert len(await library.archive.messages(ALICE, "c")) == 1
    assert library.sessions.reads == 2


async def test_a_chat_that_never_holds_still_is_read_all_the_same() -> None:
    library = Library()
    await library.desk.say("hello")
    library.activity.making = [str(number) for number in range(100)]
    library.sessions.reads = 0
    assert await library.archive.messages(ALICE, "c")
    assert library.sessions.reads == 6


async def test_a_store_that_fails_is_unavailable() -> None:
    library = Library()
    await library.desk.say("hello")
    library.sessions.is_broken = True
    with pytest.raises(Unavailable):
        await library.archive.messages(ALICE, "c")


async def test_an_open_request_is_shown_as_one() -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    assert (await library.tool_part())["state"] == "approval-requested"


@pytest.mark.parametrize(
    ("approved", "state"), [(True, "output-available"), (False, "output-denied")]
)
async def test_a_decided_request_shows_its_decision(approved: bool, state: str) -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    await library.desk.answer(verdict(await library.desk.record(), approved))
    part = await library.tool_part()
    assert (part["state"], part["approval"]["approved"]) == (state, approved)


async def test_a_request_that_is_over_says_how() -> None:
    library = Library(Till().tool(), ttl=-1)
    await library.desk.say(PAY)
    part = await library.tool_part()
    assert part["state"] == "output-error" and "expired" in part["errorText"]
    assert await library.desk.states() == ["expired"]


async def test_an_approved_call_that_never_ran_has_lapsed() -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    book = library.desk.book
    approved = await book.decide(await library.desk.record(), ALICE, True, None)
    await book.cancel(approved, "the user went on")
    part = await library.tool_part()
    assert part["state"] == "output-error" and "cancelled" in part["errorText"]


@pytest.mark.parametrize(("ttl", "state"), [(600, "input-available"), (-1, "output-error")])
async def test_a_browser_call_is_open_until_its_deadline(ttl: float, state: str) -> None:
    library = Library(ClientTool("locate", "Where?", ttl=ttl))
    await library.desk.say("/call locate {}")
    assert (await library.tool_part())["state"] == state


async def test_a_call_without_a_result_was_cut_off_unless_something_goes_on() -> None:
    library = Library(Till().tool(False))
    await library.desk.say(PAY)
    session = await library.desk.session()
    stored = library.sessions.sessions["clerk"]["alice"]["c"]
    stored.events = [one for one in session.events if not one.get_function_responses()][:2]
    assert "cut off" in (await library.tool_part())["errorText"]
    library.activity.making = [""]
    assert (await library.tool_part())["state"] == "input-available"


async def test_the_list_has_titles_and_the_newest_first() -> None:
    library = Library()
    for name, text in (("a", "First things"), ("b", "/say 1")):
        await library.desk.say(text, chat=name)
    library.sessions.reads = 0
    found = await library.archive.chats(ALICE)
    assert [(one.id, one.title) for one in found] == [("b", "/say 1"), ("a", "First things")]
    assert found[0].updated > found[1].updated and found[0].updated.endswith("+00:00")
    assert library.sessions.reads == 0, "a title is kept with its session"
    assert await library.archive.chats(BOB) == []


async def others_chat(library: Library, name: str, *texts: str) -> None:
    """A chat that was not begun here: its session has no title."""
    session = await library.sessions.create_session(
        app_name="clerk", user_id="alice", session_id=name
    )
    for text in texts:
        content = types.Content(role="user", parts=[types.Part(text=text)])
        await library.sessions.append_event(session, Event(author="user", content=content))


async def test_a_missing_title_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    await others_chat(library, "theirs", "Made elsewhere", "and more")
    await others_chat(library, "empty")
    for _ in range(2):
        titles = {one.id: one.title for one in await library.archive.chats(ALICE)}
        assert titles == {"theirs": "Made elsewhere", "empty": ""}
    assert library.sessions.reads == 3, "there is still nothing to read in the empty one"


async def test_few_titles_are_read_and_kept_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TITLES_READ", 2)
    monkeypatch.setattr(module, "MAX_TITLES", 1)
    library = Library()
    for name in "abc":
        await others_chat(library, name, f"Chat {name}")
    titles = [one.title for one in await library.archive.chats(ALICE)]
    assert len([title for title in titles if title]) == 1
    assert library.sessions.reads == 2


async def test_the_list_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LISTED", 1)
    library = Library()
    for name in "ab":
        await library.desk.say("hello", chat=name)
    assert [one.id for one in await library.archive.chats(ALICE)] == ["b"]


async def test_records_are_read_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_IDS_PER_QUERY", 1)
    library = Library(Till().tool())
    await library.desk.say(f"{PAY}\n{PAY}")
    states = [one["state"] for one in await library.parts() if one["type"] == "tool-pay"]
    assert states == ["approval-requested"] * 2


async def test_deleting_ends_and_cancels_and_forgets() -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    await library.archive.delete(ALICE, "c")
    assert library.activity.ended == [("alice", "c")]
    assert await library.desk.states() == ["cancelled"]
    assert await library.archive.chats(ALICE) == []
    with pytest.raises(UnknownId):
        await library.archive.delete(ALICE, "c")


async def test_a_chat_with_a_running_tool_is_not_deleted() -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    book = library.desk.book
    approved = await book.decide(await library.desk.record(), ALICE, True, None)
    assert await book.claim(approved, {"amount": 5})
    library.activity.runs = True
    with pytest.raises(Busy):
        await library.archive.delete(ALICE, "c")
    assert await library.desk.states() == ["executing"]
    library.activity.runs = False
    await library.archive.delete(ALICE, "c")
    assert await library.desk.states() == ["unknown"], "it may have taken effect"


async def test_a_call_in_the_browser_keeps_no_chat() -> None:
    library = Library(ClientTool("look", "See.", approval=True))
    await library.desk.say("/call look {}")
    await library.desk.answer(verdict(await library.desk.record()))
    assert await library.desk.states() == ["executing"]
    await library.archive.delete(ALICE, "c")
    assert await library.desk.states() == ["unknown"]


async def test_a_denied_call_stays_denied_in_a_deleted_chat() -> None:
    library = Library(Till().tool())
    await library.desk.say(PAY)
    await library.desk.answer(verdict(await library.desk.record(), False))
    await library.archive.delete(ALICE, "c")
    assert await library.desk.states() == ["denied"]
