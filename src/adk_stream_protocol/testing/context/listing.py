"""The answer to `/echo`: the model's context as JSON, for tests of what reaches a model."""

import json
from typing import Any

from google.genai import types

from adk_stream_protocol.testing.context.context import Context


def listing(context: Context) -> str:
    """List instruction, tools and contents, without the bytes of files."""
    view = {
        "system_instruction": context.system_instruction,
        "tools": list(context.tools),
        "contents": [
            {"role": content.role, "parts": [_part(part) for part in content.parts or []]}
            for content in context.contents
        ],
    }
    return json.dumps(view, ensure_ascii=False, default=str)


def _part(part: types.Part) -> dict[str, Any]:
    if call := part.function_call:
        return {"function_call": {"name": call.name, "args": call.args or {}, "id": call.id}}
    if result := part.function_response:
        view = {"name": result.name, "response": result.response, "id": result.id}
        return {"function_response": view}
    if blob := part.inline_data:
        return {"inline_data": {"mime_type": blob.mime_type, "size": len(blob.data or b"")}}
    if file := part.file_data:
        return {"file_data": {"mime_type": file.mime_type, "file_uri": file.file_uri}}
    return {"text": part.text, "thought": True} if part.thought else {"text": part.text}
