"""Messages that nobody should send: every golden message, bent in a way that a seed chooses."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[3] / "fixtures" / "wire"

LONG = 20_000
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**53 + 1,
    -(2**63),
    10**40,
    1e308,
    0.1,
    "",
    " ",
    "\u2028",
    "\u202eevil",
    "\ufeff",
    "a\u0301" * 50,
    "../../etc/passwd",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "__proto__",
    "\U0001f600" * 30,
    "x" * LONG,
    [],
    {},
    [[]],
    [None] * 300,
    {"": ""},
    {"$ref": "#"},
    {str(number): number for number in range(200)},
    "data:image/png;base64,AAAA",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "https://169.254.169.254/latest/meta-data",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "approved",
    "system",
    "tool-result",
    "output-available",
    "approval-responded",
    "regenerate-message",
]
RAW = [
    b"",
    b"\0",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b'{"a":1,"a":2}',
    b'{"a":NaN}',
    b'{"a":Infinity}',
    b'{"a":1e999}',
    b'{"a":"\\ud800"}',
    b'{"a":"\\u0000"}',
    b"\xef\xbb\xbf{}",
    b"\xff\xfe{}",
    b'{"messages":"\xc3"}',
    b"[" * 100_000,
    b'{"a":' * 5_000,
    b"[" + b"{}," * 80_000 + b"{}]",
    b"[" + b"1," * 150_000 + b"1]",
    b'{"messages":[{"role":"user","parts":['
    + b",".join([b'{"type":"text","text":"x"}'] * 3_000)
    + b"]}]}",
    b"9" * 10_000,
    b"{}" * 1_000,
]


def goldens() -> list[dict[str, Any]]:
    """All messages that clients send in the golden conversations."""
    files = sorted(FIXTURES.rglob("*.json"))
    turns = [turn for file in files for turn in json.loads(file.read_bytes()).get("turns", ())]
    found = [turn["client"] for turn in turns if isinstance(turn.get("client"), dict)]
    assert len(found) > 100
    return found


class Bender:
    """Makes hostile messages, the same ones from the same seed."""

    def __init__(self, seed: int, names: list[str]) -> None:
        self.random = random.Random(seed)
        self._goldens = goldens()
        self._values = [*VALUES, *names]
        self._names = names

    def raw(self) -> bytes:
        """Return a body or a frame as bytes."""
        if self.random.random() < 0.1:
            return self.random.choice(RAW)
        body = json.dumps(self.body(), ensure_ascii=self.random.random() < 0.5)
        raw = body.encode("utf-8", "surrogatepass")
        return self._cut(raw) if self.random.random() < 0.6 else raw

    def body(self) -> Any:
        """Return a golden message after one bend or several."""
        body = json.loads(json.dumps(self.random.choice(self._goldens)))
        # Many chats: one that grows is read whole with every message.
        body["id"] = self.random.choice([*self._names, f"chat-{self.random.randrange(2_000)}"])
        for _ in range(self.random.choice([1, 1, 2, 5])):
            place, key = self._place(body)
            bend: Callable[[Any, Any], None] = self.random.choice(
                [self._replace, self._replace, self._drop, self._double, self._nest, self._add]
            )
            bend(place, key)
        return body

    def _place(self, body: Any) -> tuple[Any, Any]:
        """Choose a value somewhere inside: where it is, and its key there."""
        place: Any = body
        key: Any = self.random.choice(list(body) or ["id"])
        while self.random.random() < 0.75:
            inner = place.get(key) if isinstance(place, dict) else place[key]
            if not isinstance(inner, dict | list) or not inner:
                break
            place = inner
            key = self.random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        return place, key

    def _replace(self, place: Any, key: Any) -> None:
        place[key] = deepcopy(self.random.choice(self._values))

    def _drop(self, place: Any, key: Any) -> None:
        if isinstance(place, dict):
            place.pop(key, None)
        else:
            del place[key]

    def _double(self, place: Any, key: Any) -> None:
        if isinstance(place, list):
            copies = self.random.choice([1, 3, 300])
            place.extend(deepcopy([place[key] for _ in range(copies)]))

    def _nest(self, place: Any, key: Any) -> None:
        value = place.get(key) if isinstance(place, dict) else place[key]
        for _ in range(self.random.choice([1, 30, 34, 100])):
            value = [value]
        place[key] = value

    def _add(self, place: Any, key: Any) -> None:
        if isinstance(place, dict):
            name = self.random.choice(["approval", "toolCallId", "output", "state", "role", "type"])
            place[name] = deepcopy(self.random.choice(self._values))

    def _cut(self, raw: bytes) -> bytes:
        at = self.random.randrange(len(raw) + 1)
        odd = bytes(self.random.choices(range(256), k=self.random.choice([0, 1, 8])))
        rest = raw[at + len(odd) :] if self.random.random() < 0.7 else b""
        return raw[:at] + odd + rest
