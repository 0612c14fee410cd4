"""A model turn in request mode, as Gemini streams it: chunks, silences, a failure to raise."""

import re
import struct
import zlib
from collections.abc import Iterator

import httpx
from google.genai import errors, types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.script.actions import (
    Action,
    Call,
    Drop,
    Fail,
    Hang,
    Hold,
    Image,
    Pause,
    Release,
    Say,
    Think,
    Turn,
)

Step = types.GenerateContentResponse | Pause | Exception

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_SIDE = 16


def steps(turn: Turn, context: Context, model_version: str) -> Iterator[Step]:
    """Yield what to do, in order; the last chunk has the finish reason and the token counts."""
    held: list[types.Part] = []
    reason = types.FinishReason.STOP
    for item in _items(turn):
        if held:
            yield _chunk(held, model_version)
            held = []
        if isinstance(item, types.Part):
            held = [item]
        elif isinstance(item, types.FinishReason):
            reason = item
            break
        else:
            yield item
            if isinstance(item, Exception):
                return
    last = _chunk(held, model_version, reason)
    last.usage_metadata = _usage(turn, context)
    yield last


def _items(turn: Turn) -> Iterator[types.Part | types.FinishReason | Pause | Exception]:
    for action in turn:
        match action:
            case Fail(code):
                yield failure(code)
            case Drop():
                # What httpx raises when the server goes away in the middle of an answer.
                yield httpx.RemoteProtocolError(
                    "peer closed connection without sending complete message body"
                    " (incomplete chunked read)"
                )
            case Hang() | Hold() | Release():
                yield action
            case _:
                yield from _parts(action)


def _parts(action: Action) -> Iterator[types.Part]:
    match action:
        case Say(deltas):
            yield from (types.Part(text=delta) for delta in deltas)
        case Think(deltas):
            yield from (types.Part(text=delta, thought=True) for delta in deltas)
        case Call(name, args):
            yield types.Part(function_call=types.FunctionCall(name=name, args=args))
        case Image():
            yield types.Part(inline_data=types.Blob(mime_type="image/png", data=png()))
        case _:
            return


def failure(code: str) -> types.FinishReason | Exception:
    """Read what `/error CODE` means: a finish reason, or what google-genai raises."""
    if code in types.FinishReason.__members__:
        return types.FinishReason[code]
    numbers = {status: number for number, status in _STATUS.items()}
    number = int(code) if re.fullmatch(r"[1-9]\d\d", code) else numbers.get(code)
    return types.FinishReason.OTHER if number is None else _api_error(number)


def _api_error(number: int) -> errors.APIError:
    status = _STATUS.get(number, "UNKNOWN")
    body = {"error": {"code": number, "message": f"Scripted error {number}.", "status": status}}
    if 400 <= number < 500:
        return errors.ClientError(number, body)
    return (errors.ServerError if 500 <= number < 600 else errors.APIError)(number, body)


def _chunk(
    parts: list[types.Part], model_version: str, reason: types.FinishReason | None = None
) -> types.GenerateContentResponse:
    failed = reason not in (None, types.FinishReason.STOP)
    candidate = types.Candidate(
        content=types.Content(role="model", parts=parts),
        finish_reason=reason,
        finish_message=f"The scripted model stopped: {reason.value}."
        if failed and reason
        else None,
    )
    return types.GenerateContentResponse(candidates=[candidate], model_version=model_version)


def _usage(turn: Turn, context: Context) -> types.GenerateContentResponseUsageMetadata:
    prompt, answer, thought = token_counts(turn, context)
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=prompt,
        candidates_token_count=answer,
        thoughts_token_count=thought or None,
        total_token_count=prompt + answer + thought,
    )


def token_counts(turn: Turn, context: Context) -> tuple[int, int, int]:
    """Count the tokens of the prompt, of the answer and of the reasoning."""
    prompt = (part.text or "" for content in context.contents for part in content.parts or [])
    answer = (delta for action in turn if isinstance(action, Say) for delta in action.deltas)
    thought = (delta for action in turn if isinstance(action, Think) for delta in action.deltas)
    return _tokens(prompt), _tokens(answer), _tokens(thought)


def _tokens(texts: Iterator[str]) -> int:
    # Four characters a token is the usual rule of thumb; what matters is that it never changes.
    return -(-sum(map(len, texts)) // 4)


def png() -> bytes:
    """Return a PNG of 16 by 16 pixels, always the same bytes."""
    rows = [b"\0" + bytes(_png_row(y)) for y in range(_SIDE)]
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, data) for kind, data in chunks)


def _png_row(y: int) -> list[int]:
    return [channel for x in range(_SIDE) for channel in (x * 16, y * 16, 160)]


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
