"""What the wallet refuses, and that a key pays once."""

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.demo.wallet import Payment, Wallet


def pay(amount: Any = 50, recipient: Any = "Hanako", currency: Any = "USD") -> Payment:
    return Payment(amount, recipient, currency)


@pytest.mark.parametrize(
    ("payment", "fault"),
    [
        *((pay(amount), "The amount must be a number.") for amount in ("50", None, True, [1])),
        *(
            (pay(amount), "The amount must be finite and more than zero.")
            for amount in (0, -1, -0.01, math.nan, math.inf, -math.inf)
        ),
        *((pay(amount), "The amount is too large.") for amount in (10**400, 1e300, 10**10)),
        *(
            (pay(amount), "The amount must not have more than two decimals.")
            for amount in (0.001, 12.345, 1e-9)
        ),
        *((pay(1, recipient), "A recipient is needed.") for recipient in ("", "  ", None, 7)),
        (pay(1, "x" * 101), "The recipient's name is longer than 100 characters."),
        *(
            (pay(1, "Bob", currency), "The currency must be one of USD, EUR, JPY.")
            for currency in ("GBP", "usd", "", None, ["USD"])
        ),
        (pay(1000.01), "The wallet holds only 1000 USD."),
    ],
)
async def test_refusals(tmp_path: Path, payment: Payment, fault: str) -> None:
    wallet = Wallet(tmp_path)
    assert await wallet.refusal("alice", payment) == fault
    assert await wallet.pay("alice", "key", payment) == {"error": fault}


@pytest.mark.parametrize("amount", [1, 0.1, 0.01, 12.5, 50.0, 999.99, 1000])
async def test_what_is_not_refused(tmp_path: Path, amount: float) -> None:
    wallet = Wallet(tmp_path)
    assert await wallet.refusal("alice", pay(amount)) is None
    result = await wallet.pay("alice", "key", pay(amount))
    assert result["wallet_balance"] == pytest.approx(1000 - amount)


async def test_a_key_pays_once_and_gives_the_same_result_again(tmp_path: Path) -> None:
    first = await Wallet(tmp_path).pay("alice", "key", pay(600))
    assert first["wallet_balance"] == 400
    again = Wallet(tmp_path)
    assert await again.pay("alice", "key", pay(600)) == first
    assert (await again.pay("alice", "other", pay(400)))["wallet_balance"] == 0


async def test_a_key_does_not_pay_something_else(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path)
    await wallet.pay("alice", "key", pay(50))
    for other in (pay(51), pay(50, "Bob"), pay(50, "Hanako", "EUR")):
        assert await wallet.pay("alice", "key", other) == {
            "error": "This call has already made a different payment."
        }


async def test_each_user_and_each_currency_has_a_balance_of_its_own(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path)
    await wallet.pay("alice", "key", pay(900))
    assert await wallet.refusal("alice", pay(200)) == "The wallet holds only 100 USD."
    assert await wallet.refusal("alice", pay(200, currency="EUR")) is None
    assert (await wallet.pay("bob", "key", pay(900)))["wallet_balance"] == 100


async def test_cents_add_up(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path)
    results = [await wallet.pay("alice", str(n), pay(0.1)) for n in range(3)]
    assert [result["wallet_balance"] for result in results] == [999.9, 999.8, 999.7]


async def test_payments_at_once_do_not_overdraw(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path)
    payments = (wallet.pay("alice", str(n), pay(300)) for n in range(8))
    results = await asyncio.gather(*payments)
    assert sum("error" not in result for result in results) == 3
    assert await wallet.refusal("alice", pay(101)) == "The wallet holds only 100 USD."


async def test_one_key_at_once_pays_once(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path)
    results = await asyncio.gather(*(wallet.pay("alice", "key", pay(300)) for _ in range(8)))
    assert all(result == results[0] for result in results)
    assert results[0]["wallet_balance"] == 700
