"""What comes back for one action, from whatever way it took: chunks, or a refusal."""

import re
from dataclasses import dataclass, field
from typing import Any

from tests.support.ways.bodies import Asked, Json

_REFERENCE = re.compile(r"reference [0-9a-f]{8}")
_CODE = re.compile(r"\((\w[\w-]*), reference [0-9a-f]{8}\)$")
CONFIRMATION = "adk_request_confirmation"


@dataclass
class Reply:
    """One turn as it arrived; `refused` is the code of an error that came instead of a turn."""

    chunks: list[Json] = field(default_factory=list[Json])
    refused: str | None = None

    @property
    def text(self) -> str:
        return "".join(c["delta"] for c in self.chunks if c["type"] == "text-delta")

    @property
    def message_id(self) -> str | None:
        return self.chunks[0].get("messageId")

    @property
    def types(self) -> list[str]:
        return [chunk["type"] for chunk in self.chunks]

    def of(self, type: str) -> list[Json]:
        return [chunk for chunk in self.chunks if chunk["type"] == type]

    def asked(self) -> list[Asked]:
        """What waits for a person or for the browser, in either style."""
        inputs = {c["toolCallId"]: c for c in self.of("tool-input-available")}
        dialogs = {c["toolCallId"]: c["approvalId"] for c in self.of("tool-approval-request")}
        for call_id, chunk in inputs.items():
            if chunk["toolName"] == CONFIRMATION:
                dialogs[chunk["input"]["originalFunctionCall"]["id"]] = call_id
        ended = {c["toolCallId"] for c in self.chunks if c["type"].startswith("tool-output-")}
        return [
            Asked(chunk["toolName"], call_id, dialogs.get(call_id))
            for call_id, chunk in inputs.items()
            if chunk["toolName"] != CONFIRMATION and call_id not in ended
        ]

    def asking(self) -> Asked:
        """The one call that waits."""
        (asked,) = self.asked()
        return asked


def refusal_of(text: str) -> str:
    """The code in the text of an error."""
    found = _CODE.search(text)
    assert found, text
    return found[1]


def normal(*replies: Reply) -> list[list[Json]]:
    """The chunks with ids of our own, so that they can be compared with a list of a test's."""
    names = _Names()
    return [names.rename(reply.chunks) for reply in replies]


class _Names:
    """Ids by their order of appearance: m1, m2 for messages, c1 for calls, a1 for requests.

    Deltas of a part are put together, and what no test can know (times, receipts) is left out.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._complete: set[str] = set()

    def rename(self, chunks: list[Json]) -> list[Json]:
        out: list[Json] = []
        started: set[str] = set()
        for chunk in chunks:
            self._learn(chunk)
            if chunk["type"] == "tool-input-start":
                # Where ADK streams a response, all its calls begin before the first is complete.
                started.add(chunk["toolCallId"])
                continue
            if chunk["type"] == "tool-input-available":
                self._check_start(chunk["toolCallId"], started)
            plain = self._plain(chunk)
            if plain["type"].endswith("-delta") and out and _same_part(out[-1], plain):
                out[-1]["delta"] += plain["delta"]
            else:
                out.append(plain)
        return out

    def _check_start(self, call_id: str, started: set[str]) -> None:
        assert call_id in started or call_id in self._complete, "an input that never began"
        self._complete.add(call_id)

    def _learn(self, chunk: Json) -> None:
        for key, kind in (("messageId", "m"), ("approvalId", "a"), ("toolCallId", "c")):
            if key in chunk:
                dialog = chunk.get("toolName") == CONFIRMATION
                self._name(chunk[key], "a" if dialog else kind)

    def _name(self, id: str, kind: str) -> None:
        if id not in self._names:
            self._count[kind] = self._count.get(kind, 0) + 1
            self._names[id] = f"{kind}{self._count[kind]}"

    def _plain(self, value: Any) -> Any:
        match value:
            case {"expiresAt": _} | {"transaction_id": _}:
                return self._plain(_without(value, "expiresAt", "transaction_id"))
            case {"type": "finish"}:  # what a model says of itself is all that may differ
                assert value.get("messageMetadata", {}).keys() <= {"usage", "modelVersion"}
                return _without(value, "messageMetadata")
            case dict():
                return {key: self._plain(inner) for key, inner in value.items()}
            case list():
                return [self._plain(inner) for inner in value]
            case str():
                return _REFERENCE.sub("reference R", self._names.get(value, value))
            case _:
                return value


def _without(value: Json, *names: str) -> Json:
    return {key: inner for key, inner in value.items() if key not in names}


def _same_part(one: Json, other: Json) -> bool:
    return (one["type"], one.get("id")) == (other["type"], other.get("id")) and "delta" in one
