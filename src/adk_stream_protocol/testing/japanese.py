"""What the scripted model says in Japanese."""

from collections.abc import Sequence

from adk_stream_protocol.testing.exchange import Outcome
from adk_stream_protocol.testing.fate import fate_of, reason_of, short

# Each predicate twice: as it runs on to a further clause, and as it ends the sentence.
_PREDICATES = {
    "denied": ("承認されず", "承認されませんでした"),
    "expired": ("回答がないまま期限切れとなり", "回答がないまま期限切れになりました"),
    "cancelled": ("取り消され", "取り消されました"),
    "unknown": ("結果が不明で", "結果が不明です"),
    "waiting": ("まだ回答待ちで", "まだ回答待ちです"),
    "failed": ("失敗し", "失敗しました"),
}
_SKY = {
    "sunny": "晴れ",
    "cloudy": "曇り",
    "rainy": "雨",
    "windy": "強風",
    "snowy": "雪",
    "foggy": "霧",
}


class Japanese:
    """The model's sentences in Japanese."""

    greeting = "こんにちは！ご用件をどうぞ。"
    thanks = "どういたしまして！"
    abilities = "天気の案内、送金、現在地の確認、BGMの変更ができます。"
    which_place = "どの場所の天気を知りたいですか？"
    which_track = "どのトラックを流しますか？"

    def report(self, outcomes: Sequence[Outcome]) -> str:
        """One sentence on what became of the calls."""
        if not outcomes:
            return "することはありませんでした。"
        running = [_clause(outcome)[0] for outcome in outcomes[:-1]]
        return "、".join([*running, _clause(outcomes[-1])[1]]) + "。"


def _clause(outcome: Outcome) -> tuple[str, str]:
    fate = fate_of(outcome)
    if fate == "done":
        return _success(outcome)
    reason = reason_of(outcome)
    note = f"（{reason}）" if reason else ""
    running, ending = _PREDICATES[fate]
    return f"{_subject(outcome)}は{running}{note}", f"{_subject(outcome)}は{ending}{note}"


def _subject(outcome: Outcome) -> str:
    args = outcome.args
    match outcome.name:
        case "process_payment":
            amount, currency = short(args.get("amount")), short(args.get("currency", "USD"))
            return f"{_honoured(args.get('recipient'))}への{amount} {currency}の送金"
        case "get_weather":
            return f"{short(args.get('location'))}の天気の確認"
        case "get_location":
            return "現在地の確認"
        case "change_bgm":
            return f"トラック{short(args.get('track'))}への変更"
        case name:
            return f"{name}の呼び出し"


def _success(outcome: Outcome) -> tuple[str, str]:
    match outcome.name, outcome.response or {}:
        case "process_payment", {
            "amount": amount,
            "recipient": to,
            "wallet_balance": balance,
            **rest,
        }:
            paid = f"{_honoured(to)}に{short(amount)} {short(rest.get('currency', 'USD'))}を送金し"
            left = f"（残高{short(balance)}）"
            return paid + left, f"{paid}ました{left}"
        case "get_weather", {"location": place, "temperature": degrees, "condition": sky}:
            seen = (
                f"{short(place)}の天気は{_SKY.get(short(sky), short(sky))}、気温は{short(degrees)}℃"
            )
            return seen + "で", seen + "です"
        case "get_location", {"latitude": latitude, "longitude": longitude}:
            place = f"現在地は緯度{short(latitude)}、経度{short(longitude)}"
            return place + "で", place + "です"
        case "change_bgm", {"track": track}:
            changed = f"BGMをトラック{short(track)}に変更し"
            return changed, changed + "ました"
        case name, response:
            returned = f"{name}の結果は{short(response)}"
            return returned + "で", returned + "です"


def _honoured(name: object) -> str:
    text = short(name)
    return text if text.isascii() else f"{text}さん"
