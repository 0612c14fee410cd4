"""Undo ADK's quoting of what other agents did.

ADK shows a model the calls of other agents, and in request mode also everything its own agent did
in a live run, as text in the role of the user. Read as it stands, that text would be the user's
newest message. The shapes are those of google-adk 2.13, `flows/llm_flows/context/_fencing.py`.
"""

import ast
import re
from typing import Any

from google.genai import types

_PREAMBLE = "For context: below is a transcript of what another agent did"
_INSTRUCTION = "<<<BEGIN_SYSTEM_INSTRUCTION>>>"
_QUOTE = re.compile(
    r"\[(?P<agent>[^\]]*)\] (?P<kind>said:|called tool `|`)(?:(?P<name>[^`]*)`[^\n]*)?\n"
    r"<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n(?P<body>.*)\n<<<END_QUOTED_AGENT_CONTENT>>>",
    re.DOTALL,
)


def unquote(content: types.Content) -> types.Content | None:
    """Restore the content as it first was; None for an instruction outside the dialogue."""
    opening = (content.parts[0].text or "") if content.parts else ""
    if content.role != "user":
        return content
    if opening.startswith(_INSTRUCTION):
        return None
    if not opening.startswith(_PREAMBLE):
        return content
    parts = [_part(part.text or "") for part in (content.parts or [])[1:]]
    role = "user" if any(p.function_response for p in parts) else "model"
    return types.Content(role=role, parts=parts)


def _part(text: str) -> types.Part:
    quote = _QUOTE.fullmatch(text)
    if quote is None or quote["kind"] == "said:":
        return types.Part(text=quote["body"] if quote else text)
    value = _value(quote["body"])
    if quote["kind"] == "`":
        return types.Part(
            function_response=types.FunctionResponse(name=quote["name"], response=value)
        )
    return types.Part(function_call=types.FunctionCall(name=quote["name"], args=value))


def _value(body: str) -> dict[str, Any]:
    try:
        value = ast.literal_eval(body)
    except (ValueError, SyntaxError):
        return {"result": body}
    return value if isinstance(value, dict) else {"result": value}
