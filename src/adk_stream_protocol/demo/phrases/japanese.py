"""The demo model's Japanese sentences, beside the words for single tools."""

from collections.abc import Mapping, Sequence

from adk_stream_protocol.demo.phrases.language import Japanese
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.fate import fate_of, reason_of, short

GREETING = "こんにちは！ご用件をどうぞ。"
THANKS = "どういたしまして！"
# Each predicate twice: as it runs on to a further clause, and as it ends the sentence.
_PREDICATES = {
    "denied": ("承認されず", "承認されませんでした"),
    "expired": ("回答がないまま期限切れとなり", "回答がないまま期限切れになりました"),
    "cancelled": ("取り消され", "取り消されました"),
    "unknown": ("結果が不明で", "結果が不明です"),
    "waiting": ("まだ回答待ちで", "まだ回答待ちです"),
    "failed": ("失敗し", "失敗しました"),
}


def abilities(tools: Sequence[str]) -> str:
    """Return the answer to what is not understood: what the tools can do."""
    return f"{'、'.join(tools)}ができます。"


def report(outcomes: Sequence[Outcome], wordings: Mapping[str, Japanese]) -> str:
    """Return one sentence on what became of the calls."""
    if not outcomes:
        return "することはありませんでした。"
    clauses = [_clause(outcome, wordings.get(outcome.name, _PLAIN)) for outcome in outcomes]
    running = [clause[0] for clause in clauses[:-1]]
    return "、".join([*running, clauses[-1][1]]) + "。"


def _clause(outcome: Outcome, wording: Japanese) -> tuple[str, str]:
    fate = fate_of(outcome)
    if fate == "done":
        return wording.success(outcome) or _returned(outcome)
    reason = reason_of(outcome)
    note = f"（{reason}）" if reason else ""
    running, ending = _PREDICATES[fate]
    subject = wording.subject(outcome)
    return f"{subject}は{running}{note}", f"{subject}は{ending}{note}"


def _call(outcome: Outcome) -> str:
    return f"{outcome.name}の呼び出し"


def _returned(outcome: Outcome) -> tuple[str, str]:
    returned = f"{outcome.name}の結果は{short(outcome.response or {})}"
    return returned + "で", returned + "です"


_PLAIN = Japanese(ability="", subject=_call, success=_returned)
