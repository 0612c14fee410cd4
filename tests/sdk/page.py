"""A chat page as a test sees it: the SDK's own Chat, clicks and typing in, what it shows out."""

import json
from typing import Any, Literal

from tests.sdk.context import ModelContext
from tests.sdk.judge import Judge

Json = dict[str, Any]
Major = Literal["ai6", "ai7"]
Helpers = Literal["both", "approvals", "tools", "patient"]

# Long enough for a page that posts by itself to do so: a loop posts within milliseconds.
_STEP_QUIET_MS = 40
_LAST_QUIET_MS = 120


class Page:
    """Every action waits until the page is at rest and the judges have seen all it received."""

    def __init__(self, judge: Judge, **options: Any) -> None:
        self._judge = judge
        self._seen = judge.ask(do="open", page=options)

    def say(self, text: str) -> None:
        """Type a message."""
        self._act({"name": "say", "text": text})

    def approve(self, *calls: Json, reason: str | None = None) -> None:
        """Click yes on cards, or on all that ask."""
        self._decide(calls, approved=True, reason=reason)

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

    def close(self) -> None:
        """Be sure that the page has come to rest and that every turn is one message."""
        posts = self.post_count
        self._seen = self._judge.ask(do="act", actions=[], quietMs=_LAST_QUIET_MS)
        assert self.post_count == posts, "the page posted without an action"
        assert self.faults == []
        roles = [message["role"] for message in self._seen["messages"]]
        assert roles.count("assistant") <= roles.count("user")
        assert "assistant, assistant" not in ", ".join(roles)

    @property
    def status(self) -> str:
        return self._seen["status"]

    @property
    def error(self) -> str | None:
        return self._seen["error"]

    @property
    def faults(self) -> list[str]:
        """What the judges said against the chunks."""
        return self._seen["faults"]

    @property
    def browser_calls(self) -> list[str]:
        """The tools `onToolCall` was told of."""
        return self._seen["toolCalls"]

    @property
    def post_count(self) -> int:
        return len(self._seen["posts"])

    @property
    def last_post(self) -> Json:
        return self._seen["posts"][-1]

    @property
    def last_types(self) -> list[str]:
        """The chunk types of the last response, a run of deltas as one."""
        types = [chunk["type"] for chunk in self.last_post["chunks"]]
        return [t for t, before in zip(types, [None, *types], strict=False) if t != before]

    @property
    def answers(self) -> list[Json]:
        """The assistant messages."""
        return [message for message in self._seen["messages"] if message["role"] == "assistant"]

    @property
    def text(self) -> str:
        """The text of the last assistant message."""
        return text_of(self.answers[-1])

    def parts(self, type: str) -> list[Json]:
        """The parts of that type in the last assistant message."""
        return [part for part in self.answers[-1]["parts"] if part["type"] == type]

    def calls(self, tool: str) -> list[Json]:
        """The cards of a tool in the whole conversation."""
        parts = [part for message in self.answers for part in message["parts"]]
        return [part for part in parts if part["type"] == f"tool-{tool}"]

    def states(self, tool: str) -> list[str]:
        """What those cards show."""
        return [call["state"] for call in self.calls(tool)]

    def asking(self) -> list[Json]:
        """The cards with buttons in the last message."""
        return [p for p in self.answers[-1]["parts"] if p.get("state") == "approval-requested"]

    def model_context(self) -> ModelContext:
        """Ask the model, in one more message, what it was given so far."""
        self.say("/echo")
        assert self.error is None
        return ModelContext(json.loads(self.text))

    def _decide(self, calls: tuple[Json, ...], **answer: Any) -> None:
        said = {key: value for key, value in answer.items() if value is not None}
        asked = calls or tuple(self.asking())
        assert asked, "nothing to decide"
        self._act(*({"name": "decide", "id": call["approval"]["id"], **said} for call in asked))

    def _act(self, *actions: Json) -> None:
        self._seen = self._judge.ask(do="act", actions=actions, quietMs=_STEP_QUIET_MS)
        assert self.faults == []


def text_of(message: Json) -> str:
    """The text of a message, its text parts on lines of their own."""
    return "\n".join(part["text"] for part in message["parts"] if part["type"] == "text")


def _output(call: Json, **result: Any) -> Json:
    tool = call["type"].removeprefix("tool-")
    return {"name": "output", "tool": tool, "toolCallId": call["toolCallId"], **result}
