"""A chat page as a test sees it: the SDK's own Chat, clicks and typing in, what it shows out."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, Literal

from tests.support.sdk.answers import Answer
from tests.support.sdk.context import ModelContext
from tests.support.sdk.judge import Judge
from tests.support.sdk.page_view import Json, PageView, text_of
from tests.support.sdk.wires import Major, Transport

__all__ = ["Helpers", "Json", "Major", "Page", "text_of"]

Helpers = Literal["both", "approvals", "tools", "patient"]

# Long enough for a page that posts by itself to do so: a loop posts within milliseconds. What comes
# later still is found when all tests are over.
_STEP_QUIET_MS = 20
_LAST_QUIET_MS = 20
_MOST_MOMENTS = 10

_numbers = count()


class Page(PageView):
    """Every action waits until the page is at rest and the judges have seen all it received."""

    def __init__(self, judge: Judge, **options: Any) -> None:
        self._judge = judge
        self._number = next(_numbers)
        self._options = options
        self._server_turns = 0
        super().__init__(judge.ask(do="open", number=self._number, page=options))

    def say(self, text: str) -> None:
        """Type a message."""
        self._act({"name": "say", "text": text})

    def rewrite(self, message_id: str, text: str) -> None:
        """Edit a message of the user's and send it."""
        self._act({"name": "say", "text": text, "messageId": message_id})

    def regenerate(self, message_id: str | None = None) -> None:
        """Ask for an answer again, the last one or the named one."""
        named = {"messageId": message_id} if message_id else {}
        self._act({"name": "regenerate", **named})

    def approve(self, *calls: Json, reason: str | None = None, until: str | None = None) -> None:
        """Click yes on cards, or on all that ask."""
        self._decide(calls, until=until, approved=True, reason=reason)

    def deny(self, *calls: Json, reason: str | None = None) -> None:
        """Click no on cards, or on all that ask."""
        self._decide(calls, approved=False, reason=reason)

    def run(self, call: Json, output: Any) -> None:
        """Let the browser run a call and hand in its output."""
        self._act(_output(call, output=output))

    def fail(self, call: Json, text: str) -> None:
        """Let the browser fail to run a call."""
        self._act(_output(call, state="output-error", errorText=text))

    def resend(self) -> None:
        """Post the conversation as it stands, as `sendMessage()` does."""
        self._act({"name": "resend"})

    def begin(self, text: str, *, until: str) -> None:
        """Type a message, and go on as soon as its answer shows that text."""
        self._act({"name": "say", "text": text}, until={"text": until})

    def say_in_vain(self, text: str) -> None:
        """Type a message that is refused, whatever else goes on."""
        self._act({"name": "say", "text": text}, until={"last": "refused"})

    def wait_for_server_turn(self) -> None:
        """Wait until the server says that it has begun a turn by itself."""
        self._server_turns += 1
        self._act(until={"notices": self._server_turns})

    def rest(self) -> None:
        """Wait until nothing is under way."""
        self._act()

    def stop(self) -> None:
        """Click stop, as `chat.stop()` does."""
        self._act({"name": "stop"})

    def resume(self, *, until: str | None = None) -> None:
        """Look for a running turn, as `useChat({resume: true})` does when a page is opened."""
        self._act({"name": "resume"}, until={"text": until} if until else None)

    def begin_resuming(self) -> None:
        """Resume on a socket, and go on as soon as the running turn is being read."""
        self._act({"name": "resume"}, until={"last": "resumed"})

    def switch(self, transport: Transport) -> None:
        """Go on with the same chat over another transport."""
        self._act({"name": "connect", "transport": transport})

    def leave(self) -> None:
        """Close the tab: the socket goes, and nothing is said to the server."""
        self._act({"name": "leave"}, quietMs=0)

    def close(self) -> None:
        """Be sure that the page has come to rest and that every turn is one message."""
        requests = len(self._seen["requests"])
        self._act(quietMs=_LAST_QUIET_MS)
        self.leave()
        assert len(self._seen["requests"]) == requests, "the page posted without an action"
        assert self._seen["notices"] == ["turn"] * self._server_turns
        roles = [message["role"] for message in self._seen["messages"]]
        assert roles.count("assistant") <= roles.count("user")
        assert "assistant, assistant" not in ", ".join(roles)

    @property
    def id(self) -> str:
        return self._options["id"]

    @property
    def number(self) -> int:
        """Its number among all pages of the judge."""
        return self._number

    def moments(self) -> Iterator[list[Json]]:
        """The cards with buttons, again and again until there are none."""
        for _ in range(_MOST_MOMENTS):
            if not (cards := self.asking()):
                return
            yield cards
        raise AssertionError("the page asks for ever")

    def settle(self, *answers: Answer) -> Iterator[Answer]:
        """Give the answers in this order; one that nothing waits for yet comes later.

        Each is yielded before it is given.
        """
        left = list(answers)
        while left:
            answer, call = next(self._due(left), (None, None))
            assert answer and call, f"nothing waits for {left}"
            left.remove(answer)
            yield answer
            if isinstance(answer.value, bool):
                self._decide((call,), approved=answer.value, reason=answer.reason)
            else:
                self.run(call, answer.value)

    def _due(self, answers: list[Answer]) -> Iterator[tuple[Answer, Json]]:
        for answer in answers:
            calls = self.calls(answer.tool)
            if answer.index < len(calls) and answer.fits(calls[answer.index]):
                yield answer, calls[answer.index]

    def model_context(self) -> ModelContext:
        """Ask the model, in one more message, what it was given so far."""
        self.say("/echo")
        assert self.error is None
        return ModelContext(json.loads(self.text))

    def _decide(self, calls: tuple[Json, ...], until: str | None = None, **answer: Any) -> None:
        said = {key: value for key, value in answer.items() if value is not None}
        asked = calls or tuple(self.asking())
        assert asked, "nothing to decide"
        clicks = [{"name": "decide", "id": call["approval"]["id"], **said} for call in asked]
        self._act(*clicks, until={"text": until} if until else None)

    def _act(
        self, *actions: Json, quietMs: int = _STEP_QUIET_MS, until: Json | None = None
    ) -> None:
        wait = {"quietMs": quietMs} | ({"until": until} if until else {})
        self._seen = self._judge.ask(do="act", number=self._number, actions=actions, **wait)
        assert self.faults == []


def _output(call: Json, **result: Any) -> Json:
    tool = call["type"].removeprefix("tool-")
    return {"name": "output", "tool": tool, "toolCallId": call["toolCallId"], **result}
