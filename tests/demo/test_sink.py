"""Paying through a service: a real HTTP server on 127.0.0.1 that notes what it is sent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.wallet import Payment, Wallet
from tests.support.conversations.conversation import Conversation
from tests.support.sink import Sink

PAYMENT = Payment(50, "花子", "USD")
BODY = {"amount": 50, "recipient": "花子", "currency": "USD"}


@pytest.fixture
def sink() -> Iterator[Sink]:
    sink = Sink()
    yield sink
    sink.stop()


async def test_the_service_gets_the_payment_and_the_key(tmp_path: Path, sink: Sink) -> None:
    wallet = Wallet(tmp_path, sink_url=sink.url)
    result = await wallet.pay("alice", "key-1", PAYMENT)
    assert sink.received == [("key-1", BODY)]
    assert result["success"] is True
    assert result["wallet_balance"] == 950


async def test_a_settled_key_is_not_sent_again(tmp_path: Path, sink: Sink) -> None:
    wallet = Wallet(tmp_path, sink_url=sink.url)
    results = [await wallet.pay("alice", "key-1", PAYMENT) for _ in range(2)]
    assert results[0] == results[1]
    assert len(sink.received) == 1


@pytest.mark.parametrize("status", [302, 402, 500])
async def test_a_refusal_is_an_error_and_costs_nothing(
    tmp_path: Path, sink: Sink, status: int
) -> None:
    wallet = Wallet(tmp_path, sink_url=sink.url)
    sink.status = status
    assert await wallet.pay("alice", "key-1", PAYMENT) == {
        "error": f"The payment service answered {status}."
    }
    assert await wallet.refusal("alice", Payment(1000, "Bob", "USD")) is None


async def test_silence_leaves_the_outcome_unknown_and_the_money_reserved(
    tmp_path: Path, sink: Sink
) -> None:
    wallet = Wallet(tmp_path, sink_url=sink.url)
    sink.status = None
    assert await wallet.pay("alice", "key-1", PAYMENT) == {
        "error": "The payment service did not answer. The payment may have been made.",
        "outcome": "unknown",
    }
    assert await wallet.refusal("alice", Payment(951, "Bob", "USD")) is not None
    sink.status = 200
    assert (await wallet.pay("alice", "key-1", PAYMENT))["success"] is True
    assert sink.received == [("key-1", BODY)] * 2


async def test_a_service_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    gone = Sink()
    gone.stop()
    wallet = Wallet(tmp_path, sink_url=gone.url)
    assert await wallet.pay("alice", "key-1", PAYMENT) == {
        "error": "The payment service cannot be reached."
    }
    assert await wallet.refusal("alice", Payment(1000, "Bob", "USD")) is None


async def test_the_agent_pays_through_the_service_after_the_approval(
    tmp_path: Path, sink: Sink
) -> None:
    chat = Conversation(build_agent(wallet=Wallet(tmp_path, sink_url=sink.url)))
    for _ in range(2):
        await chat.say("花子さんに50ドル送金してください")
        before = len(sink.received)
        await chat.decide(True)
        assert len(sink.received) == before + 1
    assert [body for _, body in sink.received] == [BODY, BODY]
    keys = [key for key, _ in sink.received]
    assert len(set(keys)) == 2 and all(key.isascii() for key in keys)
