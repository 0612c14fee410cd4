"""get_location: runs in the browser, and only with the user's consent."""

import re

from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.demo.phrases.language import English, Japanese, Phrases
from adk_stream_protocol.demo.tools.demo_tool import DemoTool
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Call, Turn
from adk_stream_protocol.testing.script.fate import short

_ASKED = re.compile(
    r"\bwhere (?:am i|i am)\b|\b(?:my|current) (?:\w+ )?(?:location|position)\b"
    r"|現在地|現在位置|位置情報|居場所|今どこ|ここはどこ|私はどこ",
    re.IGNORECASE,
)


def get_location() -> ClientTool:
    """Make the tool: the browser's Geolocation API."""
    return ClientTool(
        "get_location",
        "Get the current position of the user.",
        output={
            "type": "object",
            "properties": {
                "latitude": {"type": "number", "minimum": -90, "maximum": 90},
                "longitude": {"type": "number", "minimum": -180, "maximum": 180},
                "accuracy": {"type": "number", "minimum": 0},
                "timestamp": {"type": "number"},
            },
            "required": ["latitude", "longitude", "accuracy", "timestamp"],
        },
        approval=True,
    )


def _understand(text: str) -> list[Turn]:
    return [[Call("get_location")]] if _ASKED.search(text) else []


def _success(call: Outcome) -> str | None:
    match call.response:
        case {"latitude": latitude, "longitude": longitude}:
            return f"you are at latitude {short(latitude)}, longitude {short(longitude)}"
        case _:
            return None


def _success_ja(call: Outcome) -> tuple[str, str] | None:
    match call.response:
        case {"latitude": latitude, "longitude": longitude}:
            place = f"現在地は緯度{short(latitude)}、経度{short(longitude)}"
            return place + "で", place + "です"
        case _:
            return None


LOCATION = DemoTool(
    "get_location",
    make=lambda wallet: get_location(),
    purpose="to find out where the user is",
    phrases=Phrases(
        _understand,
        English(
            ability="find out where you are",
            subject=lambda call: "the request for your location",
            success=_success,
        ),
        Japanese(
            ability="現在地の確認",
            subject=lambda call: "現在地の確認",
            success=_success_ja,
        ),
    ),
)
