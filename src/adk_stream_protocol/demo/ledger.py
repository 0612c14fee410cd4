"""The wallet's book: payments in SQLite, each written once under its idempotency key.

A payment is reserved before money moves and settled after it; whatever is booked, settled or not,
counts against the balance. Amounts are whole cents. Nothing here is async.
"""

import sqlite3
import uuid
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS payments (
    user_id TEXT, key TEXT, currency TEXT, cents INTEGER, recipient TEXT,
    transaction_id TEXT, balance INTEGER, settled INTEGER DEFAULT 0,
    PRIMARY KEY (user_id, key)
)
"""


@dataclass(frozen=True)
class Account:
    """One user's money in one currency."""

    user_id: str
    currency: str


@dataclass(frozen=True)
class Entry:
    """One booked payment; `balance` is what it left, in cents."""

    cents: int
    recipient: str
    currency: str
    transaction_id: str
    balance: int
    settled: bool


class Ledger:
    """Payments in one file, from which each account's balance follows."""

    def __init__(self, path: Path, starting_cents: int) -> None:
        self._path = path
        self._starting_cents = starting_cents

    def balance(self, account: Account) -> int:
        """Return what is left, in cents."""
        with self._transaction() as db:
            return self._balance(db, account)

    def reserve(self, account: Account, key: str, cents: int, recipient: str) -> Entry | None:
        """Book a payment, or find the one booked under this key; None if the money is short."""
        with self._transaction() as db:
            if entry := self._find(db, account.user_id, key):
                return entry
            left = self._balance(db, account) - cents
            if left < 0:
                return None
            row = (account.user_id, key, account.currency, cents, recipient)
            db.execute(
                "INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                (*row, f"txn-{uuid.uuid4()}", left),
            )
            return self._find(db, account.user_id, key)

    def settle(self, user_id: str, key: str) -> None:
        """Settle a reservation: the money has moved."""
        with self._transaction() as db:
            db.execute(
                "UPDATE payments SET settled = 1 WHERE user_id = ? AND key = ?", (user_id, key)
            )

    def release(self, user_id: str, key: str) -> None:
        """Forget a reservation whose money has surely not moved."""
        with self._transaction() as db:
            db.execute(
                "DELETE FROM payments WHERE user_id = ? AND key = ? AND settled = 0", (user_id, key)
            )

    def _balance(self, db: sqlite3.Connection, account: Account) -> int:
        query = "SELECT COALESCE(SUM(cents), 0) FROM payments WHERE user_id = ? AND currency = ?"
        (spent,) = db.execute(query, (account.user_id, account.currency)).fetchone()
        return self._starting_cents - int(spent)

    def _find(self, db: sqlite3.Connection, user_id: str, key: str) -> Entry | None:
        query = (
            "SELECT cents, recipient, currency, transaction_id, balance, settled"
            " FROM payments WHERE user_id = ? AND key = ?"
        )
        row = db.execute(query, (user_id, key)).fetchone()
        return None if row is None else Entry(*row[:5], settled=bool(row[5]))

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection, None, None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute(_SCHEMA)
            # Immediate, so that no two payments read the same balance.
            db.execute("BEGIN IMMEDIATE")
            with db:
                yield db
