"""A model that plays given responses, for what the scripted model cannot say."""

from collections.abc import AsyncGenerator

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr


class CannedModel(BaseLlm):
    """Each model call plays the next list of responses."""

    model: str = "canned"
    turns: list[list[LlmResponse]]
    _next: int = PrivateAttr(default=0)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        turn = self.turns[self._next]
        self._next += 1
        for response in turn:
            yield response


def reply(*parts: types.Part, partial: bool | None = None, **fields: object) -> LlmResponse:
    """One response of a model."""
    content = types.Content(role="model", parts=list(parts))
    return LlmResponse.model_validate({"content": content, "partial": partial, **fields})


def text(value: str, *, thought: bool = False) -> types.Part:
    """A text part."""
    return types.Part(text=value, thought=thought or None)
