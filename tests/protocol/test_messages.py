"""Request bodies and parts as they arrive."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol.messages import (
    Approval,
    ChatRequest,
    Part,
    ToolResult,
    UIMessage,
    parse_part,
    parse_request,
)

HELLO = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
HELLO_MESSAGE = UIMessage(id="u1", role="user", parts=[{"type": "text", "text": "hi"}])


def parse(body: Any) -> ChatRequest:
    return parse_request(msgspec.json.encode(body))


@pytest.mark.parametrize(
    ("body", "request_"),
    [
        ({}, ChatRequest()),
        (
            {"id": "c", "messages": [HELLO], "trigger": "submit-message", "messageId": "m"},
            ChatRequest(id="c", messages=[HELLO_MESSAGE], message_id="m"),
        ),
        ({"chatId": "c", "message": HELLO}, ChatRequest(chat_id="c", message=HELLO_MESSAGE)),
        ({"messages": [], "unknown": {"x": 1}}, ChatRequest()),
        ({"toolCallId": "c1", "result": None}, ChatRequest(tool_call_id="c1", result=None)),
        (
            {"toolResults": [{"id": "c1", "result": 1, "extra": 2}]},
            ChatRequest(tool_results=[ToolResult(id="c1", result=1)]),
        ),
    ],
)
def test_a_body_is_parsed(body: Any, request_: ChatRequest) -> None:
    assert parse(body) == request_


@pytest.mark.parametrize("kind", ["message", "tool_result", "tool-result", "toolResult"])
def test_an_envelope_is_flattened(kind: str) -> None:
    data = {"toolCallId": "c1", "result": 1, "id": "inner"}
    envelope = {"type": kind, "version": "1.0", "id": "outer", "data": data}
    assert parse(envelope) == ChatRequest(id="inner", tool_call_id="c1", result=1)


@pytest.mark.parametrize("kind", ["interrupt", None, 7])
def test_data_of_another_type_is_left_alone(kind: Any) -> None:
    assert parse({"type": kind, "data": {"toolCallId": "c1"}}) == ChatRequest()


@pytest.mark.parametrize("data", [None, "x", [1]])
def test_data_that_is_no_object_is_left_alone(data: Any) -> None:
    assert parse({"type": "message", "data": data, "id": "c"}) == ChatRequest(id="c")


@pytest.mark.parametrize("kind", [[], {}, ["message"]])
def test_a_type_that_is_no_text_is_no_envelope(kind: Any) -> None:
    assert parse({"type": kind, "id": "c"}) == ChatRequest(id="c")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ([], "$: an object is expected"),
        ("x", "$: an object is expected"),
        ({"id": 7}, "$.id: Expected `str | null`, got `int`"),
        ({"messages": {}}, "$.messages: Expected `array`, got `object`"),
        ({"messages": [HELLO, 1]}, "$.messages[1]: Expected `object`, got `int`"),
        ({"messages": [{}]}, "$.messages[0]: Object missing required field `role`"),
        ({"message": {"role": 1}}, "$.message.role: Expected `str`, got `int`"),
        (
            {"messages": [{"role": "user", "content": 1}]},
            "$.messages[0].content: Expected `str | array | null`, got `int`",
        ),
        (
            {"toolResults": [{"id": "c"}]},
            "$.toolResults[0]: Object missing required field `result`",
        ),
        ({"toolCallId": 1}, "$.toolCallId: Expected `str | null`, got `int`"),
    ],
)
def test_a_malformed_body_is_refused_with_the_path(body: Any, fault: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse(body)
    assert (caught.value.status, caught.value.text) == (422, fault)


def test_a_body_that_is_no_json_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"\$: not JSON"):
        parse_request(b"{")


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ({"type": "step-start"}, Part(type="step-start")),
        (
            {"type": "text", "text": "hi", "state": "done"},
            Part(type="text", text="hi", state="done"),
        ),
        (
            {"type": "tool-x", "toolCallId": "c", "output": None, "errorText": "e", "input": {}},
            Part(type="tool-x", tool_call_id="c", input={}, output=None, error_text="e"),
        ),
        (
            {"type": "tool-x", "approval": {"id": "a", "approved": False, "reason": "no"}},
            Part(type="tool-x", approval=Approval(id="a", approved=False, reason="no")),
        ),
        (
            {"type": "tool-x", "approval": {}},
            Part(type="tool-x", approval=Approval(approved=UNSET)),
        ),
    ],
)
def test_a_part_is_parsed(value: Any, part: Part) -> None:
    assert parse_part(value, "$") == part


@pytest.mark.parametrize("approved", ["true", "approved", 1, 0, None, [], {}])
def test_approved_is_a_boolean_or_malformed(approved: Any) -> None:
    with pytest.raises(BadRequest, match=r"^\$\.p\[3\]\.approval\.approved: Expected `bool`"):
        parse_part({"type": "tool-x", "approval": {"approved": approved}}, "$.p[3]")


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (1, "$.p: Expected `object`, got `int`"),
        ({}, "$.p: Object missing required field `type`"),
        ({"type": "text", "text": 1}, "$.p.text: Expected `str | null`, got `int`"),
    ],
)
def test_a_malformed_part_is_refused_with_the_path(value: Any, fault: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_part(value, "$.p")
    assert caught.value.text == fault
