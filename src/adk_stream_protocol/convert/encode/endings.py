"""The end of a turn: ADK's finish reasons and error codes to what a client may see."""

from collections.abc import Iterable
from dataclasses import dataclass

from google.genai import types

from adk_stream_protocol.protocol.chunks import FinishReason

_LENGTH = {"MAX_TOKENS"}
_FILTERED = {
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "JAILBREAK",
}
_BROKEN = {
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
    "NO_IMAGE",
}
_ENDED_WELL = {"TURN_COMPLETE_REASON_UNSPECIFIED", "NEED_MORE_INPUT"}

_CLIENTS = ("aiohttp", "httpcore", "httpx", "websockets")
"""google-genai takes whichever of the HTTP clients is installed, aiohttp first."""
_REFUSED_BY_SOCKET = ("1003", "1007", "1008")

_TEXTS = {
    "length": "The answer reached the model's length limit.",
    "content-filter": "The model's safety filter blocked the answer.",
    "error": "The model gave an answer that could not be used. Please try again.",
    "no-answer": "The model gave no answer. Please try again.",
    "model-busy": "The model is busy. Please try again in a moment.",
    "model-refused": "The model did not accept the request.",
    "model-unavailable": "The model could not be reached. Please try again.",
    "internal": "Something went wrong while answering. Please try again.",
}


def finish_reason(reason: str | types.FinishReason | None) -> FinishReason:
    """Translate ADK's word to the AI SDK's. What ADK adds later is `other`: clients know it."""
    name = reason.name if isinstance(reason, types.FinishReason) else (reason or "STOP")
    if name in ("STOP", "FINISH_REASON_UNSPECIFIED"):
        return "stop"
    if name in _LENGTH:
        return "length"
    if name in _FILTERED:
        return "content-filter"
    return "error" if name in _BROKEN else "other"


def live_code(reason: types.TurnCompleteReason | None) -> str:
    """Tell why a live turn ended, as a finish reason of a request; empty if it ended well."""
    if reason is None or reason.name in _ENDED_WELL:
        return ""
    return reason.name if reason.name in _BROKEN else "SAFETY"


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a turn failed, in words for users."""

    code: str
    own_text: str = ""
    """Where the code alone does not say it."""

    @property
    def text(self) -> str:
        return self.own_text or _TEXTS[self.code]

    @classmethod
    def of_code(cls, code: str) -> "Failure":
        """Read the `error_code` of an ADK event: an HTTP status, a gRPC or finish reason name.

        A live model's error is the code with which its socket was closed.
        """
        reason = finish_reason(code)
        if reason in ("length", "content-filter", "error"):
            return cls(reason)
        if code in ("429", "RESOURCE_EXHAUSTED"):
            return cls("model-busy")
        if code.isdecimal() and 1000 <= int(code) < 2000:
            return cls("model-refused" if code in _REFUSED_BY_SOCKET else "model-unavailable")
        if code.startswith("5") or code in ("UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED"):
            return cls("model-unavailable")
        if code.startswith("4") or code in ("INVALID_ARGUMENT", "PERMISSION_DENIED", "NOT_FOUND"):
            return cls("model-refused")
        return cls("no-answer" if code == "MODEL_RETURNED_NO_CONTENT" else "internal")

    @classmethod
    def of_exception(cls, error: BaseException) -> "Failure":
        """Read what ADK raised; the genai client's errors carry an HTTP status in `code`."""
        code = getattr(error, "code", None)
        if isinstance(code, int):
            return cls.of_code(str(code))
        if isinstance(error, ConnectionError | TimeoutError) or _is_of_a_client(error):
            return cls("model-unavailable")
        return cls("internal")


def _is_of_a_client(error: BaseException) -> bool:
    return any(kind.__module__.partition(".")[0] in _CLIENTS for kind in type(error).__mro__)


def total_usage(
    responses: Iterable[types.GenerateContentResponseUsageMetadata],
) -> dict[str, int]:
    """Add up the token counts of the model responses of a turn, under the AI SDK's names."""
    read = written = thought = cached = total = 0
    for metadata in responses:
        read += metadata.prompt_token_count or 0
        written += metadata.candidates_token_count or 0
        thought += metadata.thoughts_token_count or 0
        cached += metadata.cached_content_token_count or 0
        total += metadata.total_token_count or 0
    counts = {
        "inputTokens": read,
        "outputTokens": written,
        "reasoningTokens": thought,
        "cachedInputTokens": cached,
        "totalTokens": total,
    }
    return {name: count for name, count in counts.items() if count}
