"""What a chat page shows, and what it has sent and received."""

import re
from typing import Any

Json = dict[str, Any]


class PageView:
    """The last report of a page."""

    def __init__(self, seen: Json) -> None:
        self._seen = seen

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
    def posts(self) -> list[Json]:
        """Its turns so far: POST requests, or `send` frames."""
        return [request for request in self._seen["requests"] if request["kind"] == "send"]

    @property
    def post_count(self) -> int:
        return len(self.posts)

    @property
    def last_post(self) -> Json:
        return self.posts[-1]

    @property
    def last_resume(self) -> Json:
        return [request for request in self._seen["requests"] if request["kind"] == "resume"][-1]

    @property
    def aborts(self) -> int:
        """How many `abort` frames it has sent."""
        return self._seen["aborts"]

    @property
    def refusal(self) -> str | None:
        """The code with which its last turn was refused."""
        return code_of(self.last_post["refusal"] or "")

    @property
    def last_types(self) -> list[str]:
        """The chunk types of the last response, a run of deltas as one."""
        types = [chunk["type"] for chunk in self.last_post["chunks"]]
        return [t for t, before in zip(types, [None, *types], strict=False) if t != before]

    @property
    def messages(self) -> list[Json]:
        """The whole conversation."""
        return self._seen["messages"]

    @property
    def answers(self) -> list[Json]:
        """The assistant messages."""
        return [message for message in self.messages if message["role"] == "assistant"]

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


def code_of(refusal: str) -> str | None:
    """The stable code in the text that users are shown."""
    found = re.search(r"\(([a-z-]+), reference [0-9a-f]+\)$", refusal)
    return found and found[1]


def text_of(message: Json) -> str:
    """The text of a message, its text parts on lines of their own."""
    return "\n".join(part["text"] for part in message["parts"] if part["type"] == "text")
