"""Every shape of a request that must be accepted, over plain HTTP: its effect and its chunks."""

from typing import Any

import pytest

from tests.sdk.conftest import OpenRaw
from tests.support.sdk.raw import RawChat, Reply
from tests.support.sdk.shapes import (
    DECISIONS,
    Asked,
    Json,
    Shape,
    assistant,
    s2,
    s5,
    s6,
    s7,
    s9,
    tool_results,
)
from tests.support.sdk.wires import HTTP, over

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
GREETING = "Hello! What can I do for you?"
FOUND = "You are at latitude 35.68, longitude 139.77."
TEXT = ["start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]

pytestmark = over(HTTP)

CASES = [
    *(("native", shape) for shape in DECISIONS),
    *(("adk-tool", shape) for shape in (s2, s5, s6, s7, s9)),
]
decisions = pytest.mark.parametrize(
    ("style", "shape"), CASES, ids=[f"{style}-{shape.__name__}" for style, shape in CASES]
)
styles = pytest.mark.parametrize("style", ["native", "adk-tool"])


def ask(chat: RawChat, text: str) -> Asked:
    """Make the agent ask for approval."""
    return asked_in(chat.say(text))


def asked_in(reply: Reply) -> Asked:
    """The one request of a reply, in either style."""
    call, *confirmation = reply.of("tool-input-available")
    if confirmation:
        approval_id = confirmation[0]["toolCallId"]
    else:
        approval_id = reply.one("tool-approval-request")["approvalId"]
    return Asked(call["toolName"], call["toolCallId"], approval_id)


def outcome_of(reply: Reply, asked: Asked) -> Json:
    """The chunk that ends the call."""
    endings = ("tool-output-available", "tool-output-error", "tool-output-denied")
    chunks = [chunk for type in endings for chunk in reply.of(type)]
    (chunk,) = [chunk for chunk in chunks if chunk["toolCallId"] == asked.call_id]
    return chunk


@pytest.mark.parametrize(
    "message",
    [
        {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]},
        {"role": "user", "content": "Hello"},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
    ],
    ids=["parts", "string", "content"],
)
@pytest.mark.parametrize("chat_key", ["id", "chatId"])
def test_s1_s10_s11_text(open_raw: OpenRaw, message: Json, chat_key: str) -> None:
    for body in (
        {"messages": [message], "trigger": "submit-message"},
        {"message": message},
        {"type": "message", "version": "1.0", "data": {"messages": [message]}},
        {"type": "message", "version": "1.0", "messages": [message]},
    ):
        chat = open_raw()
        reply = chat.post_as_it_is({chat_key: chat.id, **body})
        assert reply.text == GREETING
        assert reply.types == ["start", *TEXT]
        assert chat.model_context().texts("user") == ["Hello", "/echo"]


def test_s1_the_chat_named_in_the_query(open_raw: OpenRaw) -> None:
    chat = open_raw()
    body = {"message": {"role": "user", "content": "Hello"}}
    assert chat.post_as_it_is(body, chatId=chat.id).text == GREETING
    assert chat.model_context().texts("user") == ["Hello", "/echo"]


@decisions
def test_a_yes_pays(open_raw: OpenRaw, shape: Shape, style: str) -> None:
    chat = open_raw(style)
    asked = ask(chat, "Send $50 to Hanako")
    reply = chat.post(**shape(asked, True))
    assert outcome_of(reply, asked)["output"]["wallet_balance"] == 950
    assert reply.text == "I sent 50 USD to Hanako (balance 950)."
    assert reply.types[-6:] == TEXT
    chat.model_context().assert_paired()


@decisions
def test_a_no_pays_nothing(open_raw: OpenRaw, shape: Shape, style: str) -> None:
    chat = open_raw(style)
    asked = ask(chat, "Send $50 to Hanako")
    reply = chat.post(**shape(asked, False))
    denied = "tool-output-denied" if style == "native" else "tool-output-error"
    assert outcome_of(reply, asked)["type"] == denied
    assert "was denied" in reply.text
    context = chat.model_context()
    context.assert_paired()
    assert "denied" in context.responses("process_payment")[0]["error"]


@decisions
def test_a_yes_lets_the_browser_look(open_raw: OpenRaw, shape: Shape, style: str) -> None:
    chat = open_raw(style)
    asked = ask(chat, "Where am I?")
    go = chat.post(**shape(asked, True))
    assert go.one("tool-input-available")["toolCallId"] == asked.call_id
    assert go.text == ""
    assert go.one("finish")["finishReason"] == "tool-calls"
    reply = chat.post(**tool_results((asked.call_id, HERE)))
    assert outcome_of(reply, asked)["output"] == HERE
    assert reply.text == FOUND
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [HERE]


@decisions
def test_a_no_keeps_the_browser_from_looking(open_raw: OpenRaw, shape: Shape, style: str) -> None:
    chat = open_raw(style)
    asked = ask(chat, "Where am I?")
    reply = chat.post(**shape(asked, False))
    denied = "tool-output-denied" if style == "native" else "tool-output-error"
    assert outcome_of(reply, asked)["type"] == denied
    assert "was denied" in reply.text
    chat.model_context().assert_paired()


def test_s3_result_and_approval_in_one_part(open_raw: OpenRaw) -> None:
    chat = open_raw()
    asked = ask(chat, "Where am I?")
    body = s2(asked, True)
    body["messages"][0]["parts"][1] |= {"state": "output-available", "output": HERE}
    reply = chat.post(**body)
    assert reply.types == ["start", "tool-output-available", *TEXT]
    assert (reply.message_id, reply.text) == ("m1", FOUND)
    assert chat.model_context().responses("get_location") == [HERE]


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (
            {"state": "output-available", "output": {"success": True, "track": 2}},
            {"success": True, "track": 2},
        ),
        (
            {"state": "output-error", "errorText": "No speakers"},
            {"error": "No speakers", "outcome": "failed"},
        ),
    ],
    ids=["output", "error"],
)
@pytest.mark.parametrize("type", ["tool-change_bgm", "dynamic-tool"])
def test_s4_a_result_without_approval(
    open_raw: OpenRaw, type: str, result: Json, told: Json
) -> None:
    chat = open_raw()
    (call,) = chat.say("Change the BGM to track 2").of("tool-input-available")
    part = {"type": type, "toolName": "change_bgm", "toolCallId": call["toolCallId"], **result}
    reply = chat.post(**assistant(part))
    code = ["data-outcome"] if "errorText" in result else []
    assert reply.types == ["start", *code, f"tool-{result['state']}", *TEXT]
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("change_bgm") == [told]


@styles
def test_s8_approval_and_result_in_one_message(open_raw: OpenRaw, style: str) -> None:
    chat = open_raw(style)
    asked = ask(chat, "Where am I?")
    both = tool_results((asked.approval_id, {"approval": "approved"}), (asked.call_id, HERE))
    reply = chat.post(**both)
    assert outcome_of(reply, asked)["output"] == HERE
    assert reply.text == FOUND
    assert chat.model_context().responses("get_location") == [HERE]


@pytest.mark.parametrize("type", ["tool_result", "tool-result", "toolResult"])
def test_s9_the_result_of_a_browser_tool(open_raw: OpenRaw, type: str) -> None:
    chat = open_raw()
    (call,) = chat.say("Change the BGM to track 2").of("tool-input-available")
    result = {"success": True, "track": 2}
    data = {"toolCallId": call["toolCallId"], "toolName": "change_bgm", "result": result}
    reply = chat.post(type=type, version="1.0", data=data)
    assert reply.types == ["start", "tool-output-available", *TEXT]
    assert chat.model_context().responses("change_bgm") == [result]


def test_s10_several_results_at_the_root(open_raw: OpenRaw) -> None:
    chat = open_raw()
    requests = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    answers = zip(requests, (True, False), strict=True)
    results = [{"id": r["toolCallId"], "result": {"approved": yes}} for r, yes in answers]
    reply = chat.post(toolResults=results)
    assert reply.types == [
        "start",
        "tool-output-available",
        "data-approval",
        "tool-output-denied",
        *TEXT,
    ]
    chat.model_context().assert_paired()


def test_s7_the_reason_reaches_the_model(open_raw: OpenRaw) -> None:
    chat = open_raw()
    chat.post(**s7(ask(chat, "Send $50 to Hanako"), False))
    (told,) = chat.model_context().responses("process_payment")
    assert told["reason"] == "because"


@pytest.mark.parametrize("word", ["true", "yes", 1, None, [], {}])
@pytest.mark.parametrize("key", ["approved", "confirmed", "approval"])
def test_only_a_clear_yes_is_a_yes(open_raw: OpenRaw, key: str, word: Any) -> None:
    chat = open_raw()
    asked = ask(chat, "Send $50 to Hanako")
    reply = chat.post(**tool_results((asked.call_id, {key: word})))
    if key == "approval" and isinstance(word, str):
        assert outcome_of(reply, asked)["type"] == "tool-output-denied"
    else:
        assert (reply.status, reply.code) == (422, "malformed")
        again = chat.post(**s2(asked, True))
        assert outcome_of(again, asked)["output"]["wallet_balance"] == 950


def test_an_early_result_is_kept_and_counts_only_after_the_yes(open_raw: OpenRaw) -> None:
    chat = open_raw()
    asked = ask(chat, "Where am I?")
    early = chat.post(**tool_results((asked.call_id, HERE)))
    assert early.types[:3] == ["start", "tool-input-available", "tool-approval-request"]
    assert early.one("finish")["finishReason"] == "tool-calls"
    assert early.text == ""
    reply = chat.post(**s2(asked, True))
    assert outcome_of(reply, asked)["output"] == HERE
    assert reply.text == FOUND
    assert chat.model_context().responses("get_location") == [HERE]
