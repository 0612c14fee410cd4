"""What an approver sees of a gated call: made from its record and the tool's declaration alone.

Nothing is left out unsaid; hidden characters and look-alikes are written out. What stands in ⟨ ⟩
is ours: no argument can forge it.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from adk_stream_protocol.approvals.look_alikes import has_look_alikes, mark_look_alikes
from adk_stream_protocol.approvals.visible_text import cut_middle, visible, written_out

Risk = Literal["low", "medium", "high"]
Kind = Literal["string", "number", "boolean", "null", "object", "array"]

MAX_LINE = 100
"""Characters of a name, a title, an icon or a colour."""
MAX_HINT = 1000

_RISKS: dict[str, Risk] = {"low": "low", "medium": "medium", "high": "high"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")


@dataclass(frozen=True, slots=True)
class ShownArgument:
    """One argument as text.

    `cut` says that the text is not all of it, `look_alike` that letters of it pass for others.
    """

    name: str
    value: str
    kind: Kind
    cut: bool
    look_alike: bool = False

    def to_json(self) -> dict[str, Any]:
        """As it travels."""
        shown = {"name": self.name, "value": self.value, "kind": self.kind, "cut": self.cut}
        return shown | {"lookAlike": True} if self.look_alike else shown


@dataclass(frozen=True, slots=True)
class Presentation:
    """A gated call as its approver sees it."""

    tool: str
    title: str
    hint: str | None
    risk: Risk
    icon: str | None
    color: str | None
    arguments: tuple[ShownArgument, ...]
    expires_at: str
    """ISO 8601, UTC."""

    def to_json(self) -> dict[str, Any]:
        """As it travels: camelCase, and what is not set is not there."""
        fields: dict[str, Any] = {
            "tool": self.tool,
            "title": self.title,
            "hint": self.hint,
            "risk": self.risk,
            "icon": self.icon,
            "color": self.color,
            "arguments": [argument.to_json() for argument in self.arguments],
            "expiresAt": self.expires_at,
        }
        return {key: value for key, value in fields.items() if value is not None}


def present(
    *,
    tool: str,
    arguments: dict[str, Any],
    order: Sequence[str],
    expires: float,
    title: str | None,
    hint: str | None,
    risk: str,
    icon: str | None,
    color: str | None,
    max_value: int = 500,
    max_arguments: int = 50,
) -> Presentation:
    """Show a call. `order` is the property names of the tool's schema; other arguments follow."""
    if risk not in _RISKS:
        raise ValueError(f"risk is one of {', '.join(_RISKS)}, not {risk!r}")
    names = _in_order(arguments, order)
    shown = [_argument(name, arguments[name], max_value) for name in names[:max_arguments]]
    if rest := names[max_arguments:]:
        shown.append(_not_shown(rest, max_value))
    return Presentation(
        tool=_line(tool),
        title=_line(title or _in_words(tool)),
        hint=None if hint is None else cut_middle(visible(hint), MAX_HINT),
        risk=_RISKS[risk],
        icon=None if icon is None else _line(icon),
        color=None if color is None else _line(color),
        arguments=tuple(shown),
        expires_at=_iso(expires),
    )


def _in_order(arguments: dict[str, Any], order: Iterable[str]) -> list[str]:
    known = [name for name in dict.fromkeys(order) if name in arguments]
    return known + sorted(arguments.keys() - set(known))


def _argument(name: str, value: Any, limit: int) -> ShownArgument:
    kind = _kind(value)
    seen = visible(value if isinstance(value, str) else _json(value))
    text = mark_look_alikes(seen)
    shown = cut_middle(text, limit)
    suspect = has_look_alikes(seen) or has_look_alikes(visible(name))
    return ShownArgument(_line(name), shown, kind, cut=shown != text, look_alike=suspect)


def _not_shown(names: list[str], limit: int) -> ShownArgument:
    shown = cut_middle(mark_look_alikes(visible(_json(names))), limit)
    return ShownArgument(f"⟨{len(names):,} not shown⟩", shown, "array", cut=True)


def _kind(value: Any) -> Kind:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case dict():
            return "object"
        case list() | tuple():
            return "array"
        case _:
            return "string"


def _json(value: Any) -> str:
    """On one line, and in the order it has.

    JSON's own characters are plain, so its text can be made visible as a whole: two keys that look
    alike stay two keys, and no depth of nesting is too deep for us.
    """
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)


def _line(text: str) -> str:
    """A short text that cannot pass for more than one line."""
    line = (
        mark_look_alikes(visible(text))
        .replace("\n", written_out("\n"))
        .replace("\t", written_out("\t"))
    )
    return cut_middle(line, MAX_LINE)


def _in_words(name: str) -> str:
    """process_payment and processPayment are both "Process payment"; odd names stay as they are."""
    if not (name.isascii() and name.isprintable()):
        return name
    words = [word if word.isupper() else word.lower() for word in _WORD.findall(name)]
    text = " ".join(words)
    return text[:1].upper() + text[1:] or name


def _iso(moment: float) -> str:
    text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
