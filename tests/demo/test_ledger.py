"""The wallet's book: one payment per key, and never more than there is."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_stream_protocol.demo.ledger import Account, Entry, Ledger

START = 1_000
ALICE = Account("alice", "USD")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "made" / "ledger.sqlite3", START)


def test_a_payment_is_reserved_and_settled(ledger: Ledger) -> None:
    assert ledger.balance(ALICE) == START
    entry = ledger.reserve(ALICE, "k", 300, "Hanako")
    assert entry is not None and not entry.settled
    assert (entry.cents, entry.recipient, entry.currency) == (300, "Hanako", "USD")
    assert entry.balance == ledger.balance(ALICE) == 700
    assert entry.transaction_id.startswith("txn-")
    ledger.settle("alice", "k")
    again = ledger.reserve(ALICE, "k", 999, "Mallory")
    assert again is not None and again.settled, "what is booked under a key stays"
    assert (again.cents, again.recipient) == (300, "Hanako")
    assert again.transaction_id == entry.transaction_id and ledger.balance(ALICE) == 700


def test_money_that_is_not_there_is_not_reserved(ledger: Ledger) -> None:
    assert ledger.reserve(ALICE, "k", START + 1, "Bob") is None
    assert ledger.reserve(ALICE, "k", START, "Bob") is not None
    assert ledger.reserve(ALICE, "l", 1, "Bob") is None
    assert ledger.balance(ALICE) == 0


def test_what_surely_did_not_move_is_released_and_what_moved_is_not(ledger: Ledger) -> None:
    ledger.reserve(ALICE, "k", 300, "Bob")
    ledger.release("alice", "k")
    assert ledger.balance(ALICE) == START
    ledger.reserve(ALICE, "l", 300, "Bob")
    ledger.settle("alice", "l")
    ledger.release("alice", "l")
    ledger.release("alice", "unknown")
    assert ledger.balance(ALICE) == 700


def test_users_and_currencies_have_their_own_money(ledger: Ledger) -> None:
    ledger.reserve(ALICE, "k", 300, "Bob")
    assert ledger.balance(Account("bob", "USD")) == START
    assert ledger.balance(Account("alice", "JPY")) == START
    other = ledger.reserve(Account("bob", "USD"), "k", 100, "Alice")
    assert other is not None and other.cents == 100, "a key is one user's"


def test_it_is_in_the_file(ledger: Ledger, tmp_path: Path) -> None:
    ledger.reserve(ALICE, "k", 300, "Bob")
    assert Ledger(tmp_path / "made" / "ledger.sqlite3", START).balance(ALICE) == 700


def test_a_transaction_that_fails_leaves_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def find(ledger: Ledger, db: object, user_id: str, key: str) -> None:
        looks.append(key)
        if len(looks) > 1:  # the payment is written, but not committed
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Ledger, "_find", find)
    with pytest.raises(sqlite3.OperationalError):
        ledger.reserve(ALICE, "k", 300, "Bob")
    assert ledger.balance(ALICE) == START


def test_payments_at_once_never_spend_the_same_money(ledger: Ledger) -> None:
    def pay(number: int) -> Entry | None:
        return ledger.reserve(ALICE, f"k{number}", 300, "Bob")

    ledger.balance(ALICE)
    with ThreadPoolExecutor(8) as pool:
        booked = list(pool.map(pay, range(8)))
    assert len([one for one in booked if one]) == 3 and ledger.balance(ALICE) == 100


steps = st.lists(
    st.tuples(
        st.sampled_from(["reserve", "settle", "release"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(1, 600),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(steps)
def test_the_balance_is_what_is_booked(steps: list[tuple[str, str, int]]) -> None:
    booked: dict[str, tuple[int, bool]] = {}
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite3", START)
        for verb, key, cents in steps:
            left = START - sum(amount for amount, _ in booked.values())
            if verb == "reserve":
                entry = ledger.reserve(ALICE, key, cents, "Bob")
                if key not in booked and cents <= left:
                    booked[key] = (cents, False)
                assert (entry is not None) == (key in booked)
            elif verb == "settle":
                ledger.settle("alice", key)
                if key in booked:
                    booked[key] = (booked[key][0], True)
            elif not booked.get(key, (0, True))[1]:
                ledger.release("alice", key)
                del booked[key]
        assert ledger.balance(ALICE) == START - sum(amount for amount, _ in booked.values())
