"""What the model was given, read from the answer to `/echo`."""

from collections import Counter
from typing import Any

Json = dict[str, Any]


class ModelContext:
    """The contents of a model request."""

    def __init__(self, listing: Json) -> None:
        self._contents: list[Json] = listing["contents"]

    def responses(self, tool: str) -> list[Json]:
        """What the model was told about the calls of a tool, in order."""
        return [r["response"] for r in self._all("function_response") if r["name"] == tool]

    def texts(self, role: str) -> list[str]:
        """The texts of one side."""
        return [
            part["text"]
            for content in self._contents
            if content["role"] == role
            for part in content["parts"]
            if part.get("text")
        ]

    def assert_paired(self) -> None:
        """Each model turn's calls are followed at once by one response each, and by no others."""
        for position, content in enumerate(self._contents):
            asked = _names(content, "function_call")
            if asked:
                assert _names(self._contents[position + 1], "function_response") == asked
        asked = Counter(call["name"] for call in self._all("function_call"))
        told = Counter(response["name"] for response in self._all("function_response"))
        assert asked == told
        assert "adk_request_confirmation" not in asked

    def _all(self, kind: str) -> list[Json]:
        return [p[kind] for content in self._contents for p in content["parts"] if kind in p]


def _names(content: Json, kind: str) -> Counter[str]:
    return Counter(part[kind]["name"] for part in content["parts"] if kind in part)
