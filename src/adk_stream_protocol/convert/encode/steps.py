"""The steps of a turn: one per model response, with the tools it called."""

import msgspec

from adk_stream_protocol.protocol.chunks import AnyChunk, FinishStep, StartStep

_START, _FINISH = StartStep(), FinishStep()


class Steps:
    """Opens and closes steps, and knows what the last one ended with."""

    __slots__ = ("_joins", "after_tool", "is_open")

    def __init__(self, joins: bool = False) -> None:
        self._joins = joins
        """Whether the turn goes on with the last step of its message, whose calls still wait.

        The stock helpers look at the calls of the last step only.
        """
        self.is_open = False
        self.after_tool = False
        """Whether a tool result came after the last step was opened."""

    def next(self, out: list[AnyChunk]) -> None:
        """Close the open step and open another."""
        if self._joins and not self.after_tool:
            return
        self.end(out)
        out.append(_START)
        self.is_open, self.after_tool = True, False

    def end(self, out: list[AnyChunk]) -> None:
        """Close the open step, if there is one."""
        if self.is_open:
            out.append(_FINISH)
            self.is_open = False

    def last(self, out: list[AnyChunk], *, waiting: bool) -> None:
        """Close the last step of the turn."""
        if self.after_tool and not waiting:
            # Without a step after the last tool result the stock helpers post for ever.
            self.next(out)
        self.end(out)


class ResponseInProgress(msgspec.Struct):
    """One model response while it streams."""

    source: tuple[str, str | None]
    text: str = ""
    held: list[str] = []
    reasoning: str = ""
    visible: bool = False
