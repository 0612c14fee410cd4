"""What a user does about the calls that a page shows."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A click on a card, or what the browser's tool gave."""

    tool: str
    value: bool | Json
    index: int = 0
    """Which call of the tool."""
    reason: str | None = None

    def fits(self, call: Json) -> bool:
        """Whether the call waits for this."""
        if isinstance(self.value, bool):
            return call["state"] == "approval-requested"
        approved: bool = call.get("approval", {}).get("approved", False)
        return call["state"] == "input-available" or (
            call["state"] == "approval-responded" and approved
        )


def yes(tool: str, index: int = 0) -> Answer:
    return Answer(tool, True, index)


def no(tool: str, index: int = 0, reason: str | None = None) -> Answer:
    return Answer(tool, False, index, reason)


def output(tool: str, value: Json, index: int = 0) -> Answer:
    return Answer(tool, value, index)
