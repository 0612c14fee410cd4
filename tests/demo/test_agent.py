"""The demo agent on a real ADK runner with the scripted model: every kind of tool."""

from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.wallet import Wallet
from tests.support.conversations.conversation import CONFIRMATION, Conversation


@pytest.fixture
def chat(tmp_path: Path) -> Conversation:
    return Conversation(build_agent(wallet=Wallet(tmp_path)))


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Hello", "Hello! What can I do for you?"),
        ("ありがとう", "どういたしまして！"),
        ("What is the weather in London?", "It is 14 °C and rainy in London."),
        ("東京の天気を教えて", "東京の天気は晴れ、気温は22℃です。"),
    ],
)
async def test_what_needs_nobody(chat: Conversation, message: str, answer: str) -> None:
    assert await chat.say(message) == answer


@pytest.mark.parametrize(
    ("message", "recipient", "approved", "denied"),
    [
        (
            "Send $50 to Hanako",
            "Hanako",
            "I sent 50 USD to Hanako (balance 950).",
            "The payment of 50 USD to Hanako was denied.",
        ),
        (
            "花子さんに50ドル送金してください",
            "花子",
            "花子さんに50 USDを送金しました（残高950）。",
            "花子さんへの50 USDの送金は承認されませんでした。",
        ),
    ],
)
async def test_a_payment_is_asked_for(
    chat: Conversation, message: str, recipient: str, approved: str, denied: str
) -> None:
    for verdict, answer in ((False, denied), (True, approved)):
        assert await chat.say(message) == ""
        (call,) = chat.calls("process_payment")
        assert call.args == {"amount": 50, "recipient": recipient, "currency": "USD"}
        assert await chat.decide(verdict) == answer
    (result,) = chat.results()
    assert result.pop("transaction_id").startswith("txn-")
    assert result == {
        "success": True,
        "amount": 50,
        "recipient": recipient,
        "currency": "USD",
        "wallet_balance": 950,
    }


async def test_two_payments_are_asked_for_together(chat: Conversation) -> None:
    await chat.say("Aliceに30ドル、Bobに40ドル送金してください")
    assert len(chat.calls("process_payment")) == len(chat.calls(CONFIRMATION)) == 2
    assert await chat.decide(True, False) == (
        "Aliceに30 USDを送金し（残高970）、Bobへの40 USDの送金は承認されませんでした。"
    )


@pytest.mark.parametrize("first", [True, False])
async def test_payments_in_order_are_asked_for_one_by_one(chat: Conversation, first: bool) -> None:
    await chat.say("Send $30 to Alice, then $40 to Bob")
    assert [(c.args or {})["recipient"] for c in chat.calls("process_payment")] == ["Alice"]
    assert await chat.decide(first) == ""
    assert [(c.args or {})["recipient"] for c in chat.calls("process_payment")] == ["Bob"]
    answer = await chat.decide(True)
    assert answer.endswith(f"and I sent 40 USD to Bob (balance {930 if first else 960}).")


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("Send $1001 to Bob", "The wallet holds only 1000 USD."),
        ("Send $-5 to Bob", "The amount must be finite and more than zero."),
        ("Pay 5 GBP to Bob", "The currency must be one of USD, EUR, JPY."),
        (
            '/call process_payment {"amount": NaN, "recipient": "Bob"}',
            "The amount must be finite and more than zero.",
        ),
        (
            '/call process_payment {"amount": true, "recipient": "Bob"}',
            "The amount must be a number.",
        ),
        ('/call process_payment {"amount": 5, "recipient": " "}', "A recipient is needed."),
    ],
)
async def test_nobody_is_asked_about_what_is_refused(
    chat: Conversation, message: str, error: str
) -> None:
    assert f"failed ({error.rstrip('.')})" in await chat.say(message)
    assert chat.calls(CONFIRMATION) == []
    assert chat.results() == [{"error": error}]


async def test_missing_arguments_are_refused(chat: Conversation) -> None:
    assert "failed" in await chat.say("/call process_payment {}")
    assert chat.calls(CONFIRMATION) == []


async def test_the_wallet_is_looked_at_again_after_the_approval(chat: Conversation) -> None:
    await chat.say("Pay Alice $600 and Bob $600")
    answer = await chat.decide(True, True)
    assert sorted("error" in result for result in chat.results()) == [False, True]
    assert "The wallet holds only 400 USD" in answer


async def test_what_was_refused_is_not_paid_when_the_balance_rises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # google-adk 2.13 asks twice whether a call needs approval; the tool itself asks last.
    answers = ["The wallet holds only 0 USD.", "The wallet holds only 0 USD.", None]

    async def refusal(*_: Any) -> str | None:
        return answers.pop(0)

    wallet = Wallet(tmp_path)
    monkeypatch.setattr(wallet, "refusal", refusal)
    chat = Conversation(build_agent(wallet=wallet))
    await chat.say("Send $50 to Bob")
    assert chat.results() == [{"error": "This payment was not approved."}]


@pytest.mark.parametrize(
    ("message", "result", "answer"),
    [
        (
            "Where am I?",
            {"latitude": 35.5, "longitude": 139.5, "accuracy": 10, "timestamp": 1},
            "You are at latitude 35.5, longitude 139.5.",
        ),
        ("現在地を教えて", {"error": "rejected"}, "現在地の確認は承認されませんでした。"),
    ],
)
async def test_location_waits_for_the_browser(
    chat: Conversation, message: str, result: dict[str, Any], answer: str
) -> None:
    assert await chat.say(message) == ""
    assert await chat.give("get_location", result) == answer


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Change the BGM to track 2", "The music is now track 2."),
        ("BGMをトラック2に変更して", "BGMをトラック2に変更しました。"),
    ],
)
async def test_music_waits_for_the_browser(chat: Conversation, message: str, answer: str) -> None:
    assert await chat.say(message) == ""
    assert [call.args for call in chat.calls("change_bgm")] == [{"track": 2}]
    assert await chat.give("change_bgm", {"success": True, "track": 2}) == answer


async def test_a_message_during_a_wait_is_answered_and_the_payment_can_still_be_made(
    chat: Conversation,
) -> None:
    await chat.say("Send $50 to Hanako")
    waiting = chat.events
    assert await chat.say("Thanks") == "You are welcome!"
    chat.events = waiting
    assert await chat.decide(True) == "I sent 50 USD to Hanako (balance 950)."


def client_tool(tmp_path: Path, name: str) -> ClientTool:
    tools = build_agent(wallet=Wallet(tmp_path)).tools
    (tool,) = [tool for tool in tools if isinstance(tool, ClientTool) and tool.name == name]
    return tool


def test_browser_tools_check_their_results(tmp_path: Path) -> None:
    here = {"latitude": 90, "longitude": -180, "accuracy": 0, "timestamp": 1.5}
    location = client_tool(tmp_path, "get_location")
    assert location.approval
    assert location.check_output(here) is None
    for wrong in ({"latitude": 91}, {"longitude": -181}, {"accuracy": -1}, {"timestamp": "now"}):
        assert location.check_output({**here, **wrong}) is not None
    music = client_tool(tmp_path, "change_bgm")
    assert not music.approval
    assert music.check_output({"success": True, "track": 2}) is None
    assert music.check_output({"success": "yes", "track": 2}) is not None
    assert music.check_output({"success": True}) is not None


def test_building_the_agent_touches_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    build_agent(wallet=Wallet(state))
    assert not state.exists()


async def test_an_approval_that_comes_when_the_money_is_gone_is_refused(
    chat: Conversation,
) -> None:
    await chat.say("Send $600 to Alice")
    waiting = chat.events
    await chat.say("Send $700 to Bob")
    assert await chat.decide(True) == "I sent 700 USD to Bob (balance 300)."
    chat.events = waiting
    assert "The wallet holds only 300 USD" in await chat.decide(True)
