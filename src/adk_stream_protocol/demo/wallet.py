"""The demo's wallet: what it refuses, and how it pays.

Each user has 1000 of each currency; nothing is converted, and a balance is in its own currency.
With a `sink_url` the paying is done by a service that gets `{amount, recipient, currency}` and the
header `Idempotency-Key`; without one the entry in the ledger is the payment.
"""

import asyncio
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from adk_stream_protocol.demo.ledger import Account, Entry, Ledger
from adk_stream_protocol.protocol.chunks import Outcome

CURRENCIES = ("USD", "EUR", "JPY")
_LONGEST_RECIPIENT = 100
_LARGEST_AMOUNT = 1_000_000_000
_NO_ANSWER = "The payment service did not answer. The payment may have been made."
_UNKNOWN: Outcome = "unknown"


@dataclass(frozen=True)
class Payment:
    """A payment as the model asks for it: any value of any type may stand in it."""

    amount: Any
    recipient: Any
    currency: Any

    def fault(self) -> str | None:
        """Say what is wrong with it, whoever pays, or return None."""
        return _amount_fault(self.amount) or self._text_fault()

    def _text_fault(self) -> str | None:
        if not isinstance(self.recipient, str) or not self.recipient.strip():
            return "A recipient is needed."
        if len(self.recipient) > _LONGEST_RECIPIENT:
            return f"The recipient's name is longer than {_LONGEST_RECIPIENT} characters."
        if self.currency not in CURRENCIES:
            return f"The currency must be one of {', '.join(CURRENCIES)}."
        return None

    @property
    def cents(self) -> int:
        """The amount of a payment without fault."""
        return int(Decimal(str(self.amount)) * 100)


class Wallet:
    """Pays for one user at a time, once per idempotency key."""

    def __init__(
        self,
        state: Path,
        *,
        sink_url: str | None = None,
        starting_balance: int = 1000,
        timeout: float = 10.0,
    ) -> None:
        self._ledger = Ledger(state / "wallet.sqlite3", starting_balance * 100)
        self._sink_url = sink_url
        self._timeout = timeout

    async def refusal(self, user_id: str, payment: Payment) -> str | None:
        """Say why this payment would be refused now, or return None."""
        if fault := payment.fault():
            return fault
        account = Account(user_id, payment.currency)
        balance = await asyncio.to_thread(self._ledger.balance, account)
        return _short_of_money(payment, balance) if payment.cents > balance else None

    async def pay(self, user_id: str, key: str, payment: Payment) -> dict[str, Any]:
        """Pay, unless a payment with this key was made: then return its result again."""
        if fault := payment.fault():
            return {"error": fault}
        account = Account(user_id, payment.currency)
        entry = await asyncio.to_thread(
            self._ledger.reserve, account, key, payment.cents, payment.recipient
        )
        if entry is None:
            balance = await asyncio.to_thread(self._ledger.balance, account)
            return {"error": _short_of_money(payment, balance)}
        if (entry.cents, entry.recipient, entry.currency) != _terms(payment):
            return {"error": "This call has already made a different payment."}
        if not entry.settled and (failure := await self._settle(user_id, key, payment)):
            return failure
        return _receipt(entry, payment)

    async def _settle(self, user_id: str, key: str, payment: Payment) -> dict[str, Any] | None:
        if self._sink_url is not None:
            try:
                response = await self._post(self._sink_url, key, payment)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                await asyncio.to_thread(self._ledger.release, user_id, key)
                return {"error": "The payment service cannot be reached."}
            except httpx.HTTPError:
                # The reservation stays: the service may have paid.
                return {"error": _NO_ANSWER, "outcome": _UNKNOWN}
            if not response.is_success:
                await asyncio.to_thread(self._ledger.release, user_id, key)
                return {"error": f"The payment service answered {response.status_code}."}
        await asyncio.to_thread(self._ledger.settle, user_id, key)
        return None

    async def _post(self, url: str, key: str, payment: Payment) -> httpx.Response:
        body = {
            "amount": payment.amount,
            "recipient": payment.recipient,
            "currency": payment.currency,
        }
        async with httpx.AsyncClient(timeout=self._timeout, trust_env=False) as client:
            return await client.post(url, json=body, headers={"Idempotency-Key": key})


def _amount_fault(amount: Any) -> str | None:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        return "The amount must be a number."
    if not 0 < amount < math.inf:
        return "The amount must be finite and more than zero."
    if amount > _LARGEST_AMOUNT:
        return "The amount is too large."
    if Decimal(str(amount)) % Decimal("0.01"):
        return "The amount must not have more than two decimals."
    return None


def _terms(payment: Payment) -> tuple[int, str, str]:
    return payment.cents, payment.recipient, payment.currency


def _short_of_money(payment: Payment, cents: int) -> str:
    return f"The wallet holds only {_number(cents)} {payment.currency}."


def _receipt(entry: Entry, payment: Payment) -> dict[str, Any]:
    return {
        "success": True,
        "transaction_id": entry.transaction_id,
        "amount": payment.amount,
        "recipient": entry.recipient,
        "currency": entry.currency,
        "wallet_balance": _number(entry.balance),
    }


def _number(cents: int) -> int | float:
    return cents / 100 if cents % 100 else cents // 100
