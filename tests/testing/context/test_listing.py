"""The answer to `/echo`."""

import json

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.context.listing import listing
from tests.support.contents import call, model, result, results


def test_the_listing_shows_everything_but_the_bytes_of_files() -> None:
    declaration = types.FunctionDeclaration(name="f")
    thought = types.Part(text="hm", thought=True)
    picture = types.Part(inline_data=types.Blob(mime_type="image/png", data=b"1234"))
    link = types.Part(file_data=types.FileData(mime_type="text/plain", file_uri="gs://b/f"))
    config = types.GenerateContentConfig(
        system_instruction="Be kind.", tools=[types.Tool(function_declarations=[declaration])]
    )
    contents = [
        types.Content(role="user", parts=[types.Part(text="こんにちは"), picture, link]),
        model(thought, call("f", "1", a=1)),
        results(result("f", "1", r=2)),
    ]
    assert json.loads(listing(Context.of(LlmRequest(contents=contents, config=config)))) == {
        "system_instruction": "Be kind.",
        "tools": ["f"],
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "こんにちは"},
                    {"inline_data": {"mime_type": "image/png", "size": 4}},
                    {"file_data": {"mime_type": "text/plain", "file_uri": "gs://b/f"}},
                ],
            },
            {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True},
                    {"function_call": {"name": "f", "args": {"a": 1}, "id": "1"}},
                ],
            },
            {
                "role": "user",
                "parts": [{"function_response": {"name": "f", "response": {"r": 2}, "id": "1"}}],
            },
        ],
    }
