"""What the model was given, read from the answer to `/echo`."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

Json = dict[str, Any]


class ModelContext:
    """The contents of a model request."""

    def __init__(self, listing: Json) -> None:
        self._contents: list[Json] = listing["contents"]

    def responses(self, tool: str) -> list[Json]:
        """What the model was told about the calls of a tool, in the order of the calls.

        Only a live model knows their ids: it may be told in any order.
        """
        ids = [call["id"] for call in self._all("function_call") if call["name"] == tool]
        told: dict[int, Json] = {}
        for response in self._all("function_response"):
            if response["name"] == tool:
                places = (n for n, id in enumerate(ids) if id == response["id"] and n not in told)
                told[next(places)] = response["response"]
        return [told[place] for place in sorted(told)]

    def texts(self, role: str) -> list[str]:
        """The texts of one side."""
        return [
            part["text"]
            for content in self._contents
            if content["role"] == role
            for part in content["parts"]
            if part.get("text")
        ]

    def assert_paired(self, *, forgotten: Sequence[str] = ()) -> None:
        """Each model turn's calls are followed at once by one response each, and by no others.

        Only calls of the `forgotten` tools have none.
        """
        unanswered: Counter[str] = Counter()
        for position, content in enumerate(self._contents):
            asked = _names(content, "function_call")
            if asked:
                told = self._told_after(position)
                assert told in (asked, Counter())
                unanswered += asked - told
        assert unanswered == Counter(forgotten)
        asked = Counter(call["name"] for call in self._all("function_call"))
        told = Counter(response["name"] for response in self._all("function_response"))
        assert asked == told + unanswered
        assert "adk_request_confirmation" not in asked

    def _told_after(self, position: int) -> Counter[str]:
        """The responses before anything else is said; a live model gets them one by one."""
        told: Counter[str] = Counter()
        for content in takewhile(_responds, self._contents[position + 1 :]):
            told += _names(content, "function_response")
        return told

    def _all(self, kind: str) -> list[Json]:
        return [p[kind] for content in self._contents for p in content["parts"] if kind in p]


def _responds(content: Json) -> bool:
    return any("function_response" in part for part in content["parts"])


def _names(content: Json, kind: str) -> Counter[str]:
    return Counter(part[kind]["name"] for part in content["parts"] if kind in part)
