"""What became of calls, in one Japanese sentence: clauses run on, and the last one ends it."""

from typing import Any

import pytest

from adk_stream_protocol.demo.phrases.japanese import abilities, report
from adk_stream_protocol.demo.phrases.language import Japanese
from adk_stream_protocol.testing import Outcome

WORDS = {
    "pay": Japanese(
        ability="送金",
        subject=lambda call: "送金",
        success=lambda call: ("送金し", "送金しました") if call.response else None,
    )
}
NONE = Japanese(ability="", subject=lambda call: "それ", success=lambda call: None)


def paid(**response: Any) -> Outcome:
    return Outcome("pay", {}, response)


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        ({"ok": 1}, "送金しました。"),
        ({"error": "x", "outcome": "denied"}, "送金は承認されませんでした。"),
        (
            {"error": "x", "outcome": "denied", "reason": "高い。"},
            "送金は承認されませんでした（高い）。",
        ),
        ({"error": "x", "outcome": "expired"}, "送金は回答がないまま期限切れになりました。"),
        ({"error": "x", "outcome": "cancelled"}, "送金は取り消されました。"),
        ({"error": "x", "outcome": "withdrawn"}, "送金は取り消されました。"),
        ({"error": "x", "outcome": "unknown"}, "送金は結果が不明です。"),
        ({"error": "壊れた", "outcome": "failed"}, "送金は失敗しました（壊れた）。"),
        (None, "送金はまだ回答待ちです。"),
    ],
)
def test_how_a_call_ended(response: dict[str, Any] | None, sentence: str) -> None:
    assert report([Outcome("pay", {}, response)], WORDS) == sentence


def test_clauses_run_on_to_the_last() -> None:
    denied = paid(error="x", outcome="denied")
    assert report([paid(ok=1), denied], WORDS) == "送金し、送金は承認されませんでした。"
    assert report([denied, paid(ok=1)], WORDS) == "送金は承認されず、送金しました。"


def test_a_result_in_another_shape_and_a_tool_without_words() -> None:
    assert report([Outcome("f", {}, {"a": 1})], {"f": NONE}) == 'fの結果は{"a": 1}です。'
    unknown = Outcome("f", {}, {"error": "x", "outcome": "cancelled"})
    assert report([unknown], {}) == "fの呼び出しは取り消されました。"
    assert report([], WORDS) == "することはありませんでした。"


def test_abilities_are_one_sentence() -> None:
    assert abilities(["送金"]) == "送金ができます。"
    assert abilities(["送金", "天気の案内"]) == "送金、天気の案内ができます。"
