"""What the scripted model says in English."""

from collections.abc import Sequence

from adk_stream_protocol.testing.exchange import Outcome
from adk_stream_protocol.testing.fate import fate_of, reason_of, short

_VERBS = {
    "denied": "was denied",
    "expired": "expired before it was answered",
    "cancelled": "was cancelled",
    "unknown": "has an unknown outcome: it may or may not have happened",
    "waiting": "is still waiting for an answer",
    "failed": "failed",
}


class English:
    """The model's sentences in English."""

    greeting = "Hello! What can I do for you?"
    thanks = "You are welcome!"
    abilities = (
        "I can tell you the weather, send money, find out where you are and change the music."
    )
    which_place = "For which place would you like to know the weather?"
    which_track = "Which track would you like to hear?"

    def report(self, outcomes: Sequence[Outcome]) -> str:
        """One sentence on what became of the calls."""
        sentence = ", and ".join(map(_clause, outcomes)) or "there was nothing to do"
        return sentence[0].upper() + sentence[1:] + "."


def _clause(outcome: Outcome) -> str:
    fate = fate_of(outcome)
    if fate == "done":
        return _success(outcome)
    reason = reason_of(outcome)
    return f"{_subject(outcome)} {_VERBS[fate]}" + (f" ({reason})" if reason else "")


def _subject(outcome: Outcome) -> str:
    args = outcome.args
    match outcome.name:
        case "process_payment":
            amount, currency = short(args.get("amount")), short(args.get("currency", "USD"))
            return f"the payment of {amount} {currency} to {short(args.get('recipient'))}"
        case "get_weather":
            return f"the weather request for {short(args.get('location'))}"
        case "get_location":
            return "the request for your location"
        case "change_bgm":
            return f"the change to track {short(args.get('track'))}"
        case name:
            return f"the call of {name}"


def _success(outcome: Outcome) -> str:
    match outcome.name, outcome.response or {}:
        case "process_payment", {
            "amount": amount,
            "recipient": to,
            "wallet_balance": balance,
            **rest,
        }:
            currency = short(rest.get("currency", "USD"))
            return f"I sent {short(amount)} {currency} to {short(to)} (balance {short(balance)})"
        case "get_weather", {"location": place, "temperature": degrees, "condition": sky}:
            return f"it is {short(degrees)} °C and {short(sky)} in {short(place)}"
        case "get_location", {"latitude": latitude, "longitude": longitude}:
            return f"you are at latitude {short(latitude)}, longitude {short(longitude)}"
        case "change_bgm", {"track": track}:
            return f"the music is now track {short(track)}"
        case name, response:
            return f"the call of {name} returned {short(response)}"
