"""What the model is saying becomes the content that it remembers."""

from google.genai import types

from adk_stream_protocol.testing.live.draft import Draft


def test_texts_of_one_kind_become_one_part() -> None:
    draft = Draft()
    call = types.Part(function_call=types.FunctionCall(name="f"))
    thoughts = [types.Part(text=text, thought=True) for text in ("so ", "so")]
    for part in (*thoughts, types.Part(text="1 "), types.Part(text="2"), call):
        draft.add(part)
    said = draft.finish()
    assert said == types.Content(
        role="model", parts=[types.Part(text="so so", thought=True), types.Part(text="1 2"), call]
    )
    assert draft.finish() is None
