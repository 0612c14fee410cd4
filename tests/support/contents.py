"""Contents as a model is given them, in few words."""

from typing import Any

from google.genai import types


def user(*texts: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text) for text in texts])


def model(*parts: types.Part) -> types.Content:
    return types.Content(role="model", parts=list(parts))


def results(*parts: types.Part) -> types.Content:
    return types.Content(role="user", parts=list(parts))


def call(name: str, call_id: str | None = None, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args, id=call_id))


def result(name: str, call_id: str | None = None, **response: Any) -> types.Part:
    return types.Part(
        function_response=types.FunctionResponse(name=name, response=response, id=call_id)
    )
