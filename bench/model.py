"""A scripted model and the agent around it, the same behind every server that is measured.

The user's message says what the turn is made of: `text 200` is an answer of 200 deltas,
`tools 6` is six rounds of a few words and a tool call, and a closing sentence.
"""

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types

APP_NAME = "bench"
WORDS = (
    "The ",
    "bridge ",
    "forwards ",
    'each "delta"\n',
    "without ",
    "delay — ",
    "one ",
    "by one. ",
)
USAGE = types.GenerateContentResponseUsageMetadata(
    prompt_token_count=12, candidates_token_count=34, total_token_count=46
)


def look_up(city: str, days: int) -> dict[str, object]:
    """Return the weather of a city."""
    return {"city": city, "days": days, "sky": "clear", "high": 21.5, "low": 12}


class ScriptedModel(BaseLlm):
    """Answers at once, but gives the event loop a turn before each delta, as a socket would."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        kind, size, rounds_done = _read_script(llm_request.contents)
        if kind == "tools" and rounds_done < size:
            deltas = ["Looking it up. "]
            call = _call(rounds_done)
        else:
            deltas = [WORDS[i % len(WORDS)] for i in range(size if kind == "text" else 1)]
            call = None
        for delta in deltas:
            await asyncio.sleep(0)
            yield LlmResponse(content=_content(types.Part(text=delta)), partial=True)
        await asyncio.sleep(0)
        parts = [types.Part(text="".join(deltas))]
        yield LlmResponse(
            content=_content(*parts, *([call] if call else [])),
            partial=False,
            usage_metadata=USAGE,
            finish_reason=types.FinishReason.STOP,
            model_version="scripted-1",
        )


def bench_agent() -> LlmAgent:
    """Return a fresh agent; each server owns one."""
    return LlmAgent(name=APP_NAME, model=ScriptedModel(), instruction="Help.", tools=[look_up])


def user_message(script: str) -> types.Content:
    """Return what the user says to get that turn."""
    return types.Content(role="user", parts=[types.Part(text=script)])


def _content(*parts: types.Part) -> types.Content:
    return types.Content(role="model", parts=list(parts))


def _call(index: int) -> types.Part:
    args = {"city": f"Kyoto {index}", "days": 3}
    return types.Part(function_call=types.FunctionCall(name="look_up", args=args))


def _read_script(contents: list[types.Content]) -> tuple[str, int, int]:
    """Return the kind and size the last user text asks for, and the tool rounds since then."""
    rounds_done = 0
    for content in reversed(contents):
        for part in content.parts or []:
            if part.function_response:
                rounds_done += 1
            elif part.text and content.role == "user":
                kind, _, size = part.text.partition(" ")
                return kind, int(size), rounds_done
    raise ValueError("no script in the conversation")
