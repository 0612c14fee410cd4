"""process_payment: the demo's dangerous tool. A person is asked only about what could be paid."""

import re
from collections.abc import Callable
from typing import Any, cast

from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.adk.task_context import idempotency_key
from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.demo.phrases.language import English, Japanese, Phrases
from adk_stream_protocol.demo.tools.demo_tool import DemoTool
from adk_stream_protocol.demo.wallet import Payment, Wallet
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Call, Turn
from adk_stream_protocol.testing.script.fate import short

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


def payment_tool(wallet: Wallet) -> FunctionTool:
    """Make the tool that pays from this wallet."""

    async def process_payment(
        amount: float, recipient: str, tool_context: ToolContext, currency: str = "USD"
    ) -> dict[str, Any]:
        """Send money from the user's wallet.

        Args:
          amount: How much to send, a positive number with at most two decimals.
          recipient: The name of the person who receives it.
          currency: USD, EUR or JPY.
        """
        payment = Payment(amount, recipient, currency)
        # Nobody is asked about a call that is refused. It is refused here, and even if the balance
        # has risen since, it is not paid.
        if not _approved(tool_context):
            refused = await wallet.refusal(tool_context.user_id, payment)
            return {"error": refused or "This payment was not approved."}
        return await wallet.pay(tool_context.user_id, idempotency_key(tool_context), payment)

    # ADK calls this with the model's arguments as they are, and the gate also with too few of them.
    async def needs_approval(
        tool_context: ToolContext,
        amount: Any = None,
        recipient: Any = None,
        currency: Any = "USD",
    ) -> bool:
        payment = Payment(amount, recipient, currency)
        return await wallet.refusal(tool_context.user_id, payment) is None

    # google-adk 2.13 awaits the predicate, though its annotation leaves no room for that.
    return FunctionTool(
        process_payment, require_confirmation=cast(Callable[..., bool], needs_approval)
    )


def _approved(tool_context: ToolContext) -> bool:
    confirmation = tool_context.tool_confirmation
    return confirmation is not None and confirmation.confirmed


def _understand(text: str) -> list[Turn]:
    """Find the calls, one list per model turn: parallel unless the message gives an order."""
    turns: list[Turn] = []
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


def _subject(call: Outcome) -> str:
    return f"the payment of {_money(call.args)} to {short(call.args.get('recipient'))}"


def _success(call: Outcome) -> str | None:
    match call.response:
        case {"amount": _, "recipient": to, "wallet_balance": balance}:
            return f"I sent {_money(call.response)} to {short(to)} (balance {short(balance)})"
        case _:
            return None


def _subject_ja(call: Outcome) -> str:
    return f"{_honoured(call.args.get('recipient'))}への{_money(call.args)}の送金"


def _success_ja(call: Outcome) -> tuple[str, str] | None:
    match call.response:
        case {"amount": _, "recipient": to, "wallet_balance": balance}:
            paid = f"{_honoured(to)}に{_money(call.response)}を送金し"
            left = f"（残高{short(balance)}）"
            return paid + left, f"{paid}ました{left}"
        case _:
            return None


def _money(terms: dict[str, Any]) -> str:
    return f"{short(terms.get('amount'))} {short(terms.get('currency', 'USD'))}"


def _honoured(name: object) -> str:
    text = short(name)
    return text if text.isascii() else f"{text}さん"


PAYMENT = DemoTool(
    "process_payment",
    make=payment_tool,
    purpose="to send money",
    phrases=Phrases(
        _understand,
        English(ability="send money", subject=_subject, success=_success),
        Japanese(ability="送金", subject=_subject_ja, success=_success_ja),
    ),
    policy=ApprovalPolicy(
        "process_payment",
        title="Send money",
        hint="Money leaves the wallet at once and cannot be called back.",
        risk="high",
        icon="banknote",
    ),
)
