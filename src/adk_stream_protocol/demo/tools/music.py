"""change_bgm: runs in the browser, and asks nobody."""

import re

from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.demo.phrases.language import English, Japanese, Phrases, either
from adk_stream_protocol.demo.tools.demo_tool import DemoTool
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Call, Turn, say
from adk_stream_protocol.testing.script.fate import short

TRACKS = 3
_ASKED = re.compile(r"\b(?:bgm|music|track|song)\b|BGM|音楽|トラック|曲", re.IGNORECASE)


def change_bgm() -> ClientTool:
    """Make the tool: the background music of the page."""
    track = {"type": "integer", "minimum": 1, "maximum": TRACKS}
    return ClientTool(
        "change_bgm",
        f"Change the background music to a track from 1 to {TRACKS}.",
        parameters={"type": "object", "properties": {"track": track}, "required": ["track"]},
        output={
            "type": "object",
            "properties": {"success": {"type": "boolean"}, "track": {"type": "integer"}},
            "required": ["success", "track"],
        },
    )


def _understand(text: str) -> list[Turn]:
    if not _ASKED.search(text):
        return []
    if track := re.search(r"\d+", text):
        return [[Call("change_bgm", {"track": int(track[0])})]]
    which = "Which track would you like to hear?"
    return [[say(either(text, which, "どのトラックを流しますか？"))]]


def _success(call: Outcome) -> str | None:
    match call.response:
        case {"track": track}:
            return f"the music is now track {short(track)}"
        case _:
            return None


def _success_ja(call: Outcome) -> tuple[str, str] | None:
    match call.response:
        case {"track": track}:
            changed = f"BGMをトラック{short(track)}に変更し"
            return changed, changed + "ました"
        case _:
            return None


MUSIC = DemoTool(
    "change_bgm",
    make=lambda wallet: change_bgm(),
    purpose="to change the background music",
    phrases=Phrases(
        _understand,
        English(
            ability="change the music",
            subject=lambda call: f"the change to track {short(call.args.get('track'))}",
            success=_success,
        ),
        Japanese(
            ability="BGMの変更",
            subject=lambda call: f"トラック{short(call.args.get('track'))}への変更",
            success=_success_ja,
        ),
    ),
)
