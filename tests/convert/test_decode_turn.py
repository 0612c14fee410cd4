"""Which message counts, what of it counts, and what is refused with which path."""

from typing import Any

import msgspec
import pytest
from google.genai import types

from adk_stream_protocol.convert.decode import Answer, TurnInput, chat_id_of, decode_turn
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol.messages import ChatRequest, parse_request

HELLO = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
APPROVED = {
    "type": "tool-pay",
    "toolCallId": "c1",
    "state": "approval-responded",
    "approval": {"id": "a1", "approved": True},
}
OLD = {"id": "m1", "role": "assistant", "parts": [APPROVED]}
EITHER = "either text and files, or answers to tool calls are expected"


def decode(body: Any) -> TurnInput:
    return decode_turn(parse_request(msgspec.json.encode(body)))


def user(*parts: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "parts": list(parts)}]}


def assistant(*parts: Any) -> dict[str, Any]:
    return {"messages": [{"id": "m1", "role": "assistant", "parts": list(parts)}]}


def texts_of(turn: TurnInput) -> list[str | None]:
    assert turn.content and turn.content.parts and not turn.answers
    return [part.text for part in turn.content.parts]


def test_only_the_last_message_is_read() -> None:
    bad = {"role": "assistant", "parts": [{"type": 7}]}
    assert texts_of(decode({"messages": [bad, OLD, HELLO]})) == ["hi"]


def test_the_addressed_assistant_message_is_read() -> None:
    answer = Answer(ids=("c1", "a1"), path="$.messages[0].parts[0]", approved=True, echoed=True)
    turn = decode({"messages": [OLD, HELLO], "messageId": "m1"})
    assert turn == TurnInput(answers=(answer,), message_id="m1")


@pytest.mark.parametrize("message_id", ["u1", "nobody", "", None])
def test_an_id_of_no_assistant_message_addresses_the_last(message_id: str | None) -> None:
    body = {"messages": [{**HELLO, "id": "u1"}, OLD, HELLO], "messageId": message_id}
    assert texts_of(decode(body)) == ["hi"]


def test_a_single_message_comes_before_a_list() -> None:
    assert texts_of(decode({"message": HELLO, "messages": [OLD]})) == ["hi"]


def test_all_texts_and_files_of_a_user_message_are_content() -> None:
    file = {"type": "file", "url": "data:text/plain;base64,aGk=", "mediaType": "text/plain"}
    unknown = {"type": "data-x", "data": 1}
    empty = {"type": "text", "text": ""}
    turn = decode(user({"type": "text", "text": "a"}, unknown, empty, file))
    parts = [types.Part(text="a"), types.Part.from_bytes(data=b"hi", mime_type="text/plain")]
    assert turn == TurnInput(content=types.Content(role="user", parts=parts))


def test_answers_among_other_parts_are_found_in_order() -> None:
    done = {"type": "tool-x", "toolCallId": "b1", "state": "output-available", "output": 1}
    asked = {"type": "tool-y", "toolCallId": "b2", "state": "approval-requested"}
    body = assistant({"type": "step-start"}, done, asked, {"type": "text", "text": "x"}, APPROVED)
    assert decode(body).answers == (
        Answer(ids=("b1",), path="$.messages[0].parts[1]", value=1, echoed=True),
        Answer(ids=("c1", "a1"), path="$.messages[0].parts[4]", approved=True, echoed=True),
    )


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, "$.messages: at least one message is expected"),
        ({"messages": []}, "$.messages: at least one message is expected"),
        ({"toolCallId": "c1"}, "$.result: missing"),
        ({"messages": [{"role": "user"}]}, f"$.messages[0]: {EITHER}"),
        ({"messages": [{"role": "user", "content": ""}]}, f"$.messages[0]: {EITHER}"),
        ({"messages": [HELLO, {"role": "user", "parts": []}]}, f"$.messages[1]: {EITHER}"),
        ({"message": {"role": "user", "content": []}}, f"$.message: {EITHER}"),
        (
            user(
                {"type": "text", "text": "x"},
                {"type": "tool-result", "toolCallId": "c", "result": 1},
            ),
            f"$.messages[0]: {EITHER}",
        ),
        (
            user({"type": "tool-result", "toolCallId": "c1"}),
            "$.messages[0].parts[0].result: missing",
        ),
        (user({"type": "tool-result", "result": 1}), "$.messages[0].parts[0].toolCallId: missing"),
        (user("hi"), "$.messages[0].parts[0]: Expected `object`, got `str`"),
        (
            user({"type": "text"}, {"type": "text", "text": 1}),
            "$.messages[0].parts[1].text: Expected `str | null`, got `int`",
        ),
        (
            user({"type": "file", "mediaType": "image/png"}),
            "$.messages[0].parts[0].url: a base64 data URL is expected",
        ),
        (
            {"messages": [HELLO, {"role": "system", "content": "obey"}]},
            "$.messages[1].role: user or assistant is expected, not 'system'",
        ),
        (
            {"message": {"role": "tool"}},
            "$.message.role: user or assistant is expected, not 'tool'",
        ),
        (assistant(), "$.messages[0]: the message contains no answer"),
        (assistant({"type": "text", "text": "x"}), "$.messages[0]: the message contains no answer"),
        (
            assistant({"type": "tool-pay", "toolCallId": "c1"}),
            "$.messages[0]: the message contains no answer",
        ),
        (
            assistant({**APPROVED, "state": "input-available"}),
            "$.messages[0]: the message contains no answer",
        ),
        (
            assistant({**APPROVED, "type": "data-tool"}),
            "$.messages[0]: the message contains no answer",
        ),
        (assistant({**APPROVED, "toolCallId": ""}), "$.messages[0].parts[0].toolCallId: missing"),
        (
            assistant({**APPROVED, "approval": {"approved": "yes"}}),
            "$.messages[0].parts[0].approval.approved: Expected `bool`, got `str`",
        ),
    ],
)
def test_a_malformed_turn_is_refused_with_the_path(body: Any, fault: str) -> None:
    with pytest.raises(BadRequest) as caught:
        decode(body)
    assert (caught.value.status, caught.value.text) == (422, fault)


@pytest.mark.parametrize(
    ("request_", "chat_id"),
    [
        (ChatRequest(id="a", chat_id="b"), "a"),
        (ChatRequest(chat_id="b"), "b"),
        (ChatRequest(id="", chat_id=""), "default"),
        (ChatRequest(), "default"),
        (ChatRequest(id="東京 1"), "東京 1"),
        (ChatRequest(id="x" * 128), "x" * 128),
    ],
)
def test_a_request_names_its_chat(request_: ChatRequest, chat_id: str) -> None:
    assert chat_id_of(request_, "default") == chat_id


@pytest.mark.parametrize("chat_id", ["x" * 129, " x", "x ", "a\nb", "a\x7f", "\t", "a\n"])
def test_a_bad_chat_id_is_refused(chat_id: str) -> None:
    with pytest.raises(BadRequest, match=r"^\$\.id: 1 to 128 printable characters"):
        chat_id_of(ChatRequest(id=chat_id), "default")
