"""Find the payments a message asks for: "Send $50 to Hanako", "花子さんに50ドル送金して"."""

import re

from adk_stream_protocol.testing.actions import Call

_ASKED = re.compile(
    r"\b(?:send|pay|transfer|give|wire|remit)\b|送金|送って|送りたい|払|振り?込", re.IGNORECASE
)
# What parts two payments. A word of order among them makes the second wait for the first.
_BETWEEN = re.compile(
    r"(?:\s*[,;、。](?!\d)\s*|\s+)(?P<order>(?:and\s+)?(?:then|after that|afterwards)\b,?"
    r"|その(?:後|あと)に?|それから|次に|続いて)"
    r"|(?P<after>(?<=て)から、?)"
    r"|\s*[,;、。](?!\d)|\s+and\b|\s*&|(?<=[ルロ円])と",
    re.IGNORECASE,
)
_UNITS = {
    "USD": ("$", "us$", "dollar", "dollars", "buck", "bucks", "ドル", "米ドル"),
    "EUR": ("€", "euro", "euros", "ユーロ"),
    "JPY": ("¥", "yen", "円"),
    "GBP": ("£", "pound", "pounds", "ポンド"),
}
_CURRENCIES = {unit: currency for currency, units in _UNITS.items() for unit in units}
_AMOUNT = (
    r"(?P<minus>-)?(?P<sign>US\$|[$€¥£])?\s?(?P<number>-?\d[\d,]*(?:\.\d+)?)"
    r"(?:\s?(?P<unit>米?ドル|ユーロ|円|ポンド|dollars?|bucks?|euros?|yen|pounds?|[A-Z]{3}(?![A-Za-z])))?"
)
_NAME = r"(?P<name>[^\s,.!?;]+(?:\s+[A-Z][^\s,.!?;]*)*)"
_TITLE = r"(?:さん|様|さま|君|くん|ちゃん)?"
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        rf"(?P<name>[^\s、。,]+?){_TITLE}(?:に|へ|宛てに)\s*{_AMOUNT}",
        rf"{_AMOUNT}\s*を?\s*(?P<name>[^\s、。,]+?){_TITLE}(?:に|へ|宛てに)",
        rf"{_AMOUNT}\s+to\s+{_NAME}",
        rf"\b(?i:send|pay|transfer|give|wire|remit)\s+{_NAME}\s+{_AMOUNT}",
        rf"^\s*{_NAME}\s+{_AMOUNT}",
    )
)


def find_payments(text: str) -> list[list[Call]]:
    """The calls, one list per model turn: parallel unless the message gives an order."""
    turns: list[list[Call]] = []
    if not _ASKED.search(text):
        return turns
    for clause, in_order in _clauses(text):
        if (call := _payment(clause)) is None:
            continue
        if in_order or not turns:
            turns.append([])
        turns[-1].append(call)
    return turns


def _clauses(text: str) -> list[tuple[str, bool]]:
    clauses: list[tuple[str, bool]] = []
    start, in_order = 0, False
    for between in _BETWEEN.finditer(text):
        clauses.append((text[start : between.start()], in_order))
        start, in_order = between.end(), bool(between["order"] or between["after"])
    return [*clauses, (text[start:], in_order)]


def _payment(clause: str) -> Call | None:
    found = next(filter(None, (shape.search(clause) for shape in _SHAPES)), None)
    if found is None:
        return None
    unit = found["sign"] or found["unit"] or "USD"
    return Call(
        "process_payment",
        {
            "amount": _number((found["minus"] or "") + found["number"]),
            "recipient": found["name"].strip("\"'「」"),
            "currency": _CURRENCIES.get(unit.lower(), unit.upper()),
        },
    )


def _number(text: str) -> int | float:
    digits = text.replace(",", "")
    return float(digits) if "." in digits else int(digits)
