"""Chunks to messages, one kind at a time. The SDK itself judges the same in tests/sdk."""

from typing import Any

from adk_stream_protocol.convert.history.message_builder import MessageFold, merged
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    Error,
    File,
    Finish,
    FinishStep,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    SourceDocument,
    SourceUrl,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)

STEP = {"type": "step-start"}


def fold(*chunks: AnyChunk) -> dict[str, Any]:
    folded = MessageFold()
    folded.add(chunks)
    return folded.message()


def parts(*chunks: AnyChunk) -> list[dict[str, Any]]:
    return fold(*chunks)["parts"]


def called(call_id: str = "c1", flag: bool = False) -> list[AnyChunk]:
    return [
        ToolInputStart(tool_call_id=call_id, tool_name="pay", provider_executed=flag),
        ToolInputAvailable(
            tool_call_id=call_id, tool_name="pay", input={"amount": 5}, provider_executed=flag
        ),
    ]


def tool(state: str, call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    known = {"type": "tool-pay", "toolCallId": call_id, "input": {"amount": 5}}
    return {**known, "state": state, **fields}


def test_text_and_reasoning_may_share_an_id() -> None:
    assert parts(
        StartStep(),
        ReasoningStart(id="0"),
        TextStart(id="0"),
        TextDelta(id="0", delta="a"),
        ReasoningDelta(id="0", delta="x"),
        TextDelta(id="0", delta="b"),
        ReasoningEnd(id="0"),
        TextEnd(id="0"),
        FinishStep(),
    ) == [
        STEP,
        {"type": "reasoning", "id": "0", "text": "x", "state": "done"},
        {"type": "text", "text": "ab", "state": "done"},
    ]


def test_text_that_never_ends_is_still_streaming() -> None:
    assert parts(TextStart(id="0"), TextDelta(id="0", delta="a")) == [
        {"type": "text", "text": "a", "state": "streaming"}
    ]


def test_an_id_may_be_used_again_after_its_end() -> None:
    one = [TextStart(id="0"), TextDelta(id="0", delta="a"), TextEnd(id="0")]
    assert [part["text"] for part in parts(*one, *one)] == ["a", "a"]


def test_a_call_while_it_is_written() -> None:
    start = ToolInputStart(tool_call_id="c1", tool_name="pay")
    delta = ToolInputDelta(tool_call_id="c1", input_text_delta="{")
    assert parts(start, delta) == [
        {"type": "tool-pay", "toolCallId": "c1", "state": "input-streaming"}
    ]


def test_what_the_server_runs_stays_flagged() -> None:
    output = ToolOutputAvailable(tool_call_id="c1", output=None)
    assert parts(*called(flag=True), output) == [
        tool("output-available", output=None, providerExecuted=True)
    ]


def test_a_result_and_an_error_replace_each_other() -> None:
    output = ToolOutputAvailable(tool_call_id="c1", output=1, provider_executed=True)
    error = ToolOutputError(tool_call_id="c1", error_text="no")
    failed = tool("output-error", errorText="no", providerExecuted=True)
    assert parts(*called(), output, error) == [failed]
    done = tool("output-available", output=1, providerExecuted=True)
    assert parts(*called(), error, output) == [done]


def test_a_request_a_denial_and_a_go() -> None:
    request = ToolApprovalRequest(approval_id="a1", tool_call_id="c1")
    asked = tool("approval-requested", approval={"id": "a1"})
    assert parts(*called(), request) == [asked]
    denied = ToolOutputDenied(tool_call_id="c1")
    assert parts(*called(), request, denied) == [{**asked, "state": "output-denied"}]
    assert parts(*called(), request, called()[1]) == [{**asked, "state": "input-available"}]


def test_a_result_finds_its_call_in_an_earlier_step() -> None:
    output = ToolOutputAvailable(tool_call_id="c1", output=1)
    steps = [StartStep(), *called(), StartStep(), *called("c2"), output]
    assert parts(*steps) == [
        STEP,
        tool("output-available", output=1),
        STEP,
        tool("input-available", "c2"),
    ]


def test_a_call_named_again_in_a_later_step_is_another_part() -> None:
    output = ToolOutputAvailable(tool_call_id="c1", output=1)
    assert parts(StartStep(), *called(), StartStep(), *called(), output) == [
        STEP,
        tool("input-available"),
        STEP,
        tool("output-available", output=1),
    ]


def test_files_and_sources() -> None:
    assert parts(
        File(url="data:,", media_type="text/plain"),
        SourceUrl(source_id="s1", url="https://e.x"),
        SourceUrl(source_id="s2", url="https://e.x", title="T"),
        SourceDocument(source_id="s3", media_type="text/plain", title="D"),
        SourceDocument(source_id="s4", media_type="text/plain", title="D", filename="d.txt"),
    ) == [
        {"type": "file", "mediaType": "text/plain", "url": "data:,"},
        {"type": "source-url", "sourceId": "s1", "url": "https://e.x"},
        {"type": "source-url", "sourceId": "s2", "url": "https://e.x", "title": "T"},
        {"type": "source-document", "sourceId": "s3", "mediaType": "text/plain", "title": "D"},
        {
            "type": "source-document",
            "sourceId": "s4",
            "mediaType": "text/plain",
            "title": "D",
            "filename": "d.txt",
        },
    ]


def test_data_with_an_id_replaces_and_transient_data_is_not_kept() -> None:
    assert parts(
        Data(type="data-a", data=1, id="x"),
        Data(type="data-a", data=2),
        Data(type="data-b", data=3, id="x"),
        Data(type="data-a", data=4, id="x"),
        Data(type="data-a", data=5),
        Data(type="data-a", data=6, id="x", transient=True),
    ) == [
        {"type": "data-a", "data": 4, "id": "x"},
        {"type": "data-a", "data": 2},
        {"type": "data-b", "data": 3, "id": "x"},
        {"type": "data-a", "data": 5},
    ]


def test_the_id_and_the_metadata_of_the_message() -> None:
    assert fold() == {"id": "", "role": "assistant", "parts": []}
    message = fold(
        Start(message_id="m1", message_metadata={"usage": {"in": 1, "out": 1}, "by": "a"}),
        Finish(finish_reason="stop", message_metadata={"usage": {"in": 2}, "by": "b"}),
        Start(),
        Finish(),
        Error(error_text="too late"),
    )
    metadata = {"usage": {"in": 2, "out": 1}, "by": "b"}
    assert message == {"id": "m1", "role": "assistant", "metadata": metadata, "parts": []}
    assert fold(Finish(message_metadata={}))["metadata"] == {}


def test_an_object_and_a_plain_value_do_not_merge() -> None:
    assert merged({"a": {"b": 1}, "c": 1}, {"a": 2, "c": {"d": 3}}) == {"a": 2, "c": {"d": 3}}


def test_parts_are_found_by_call_and_by_data_id() -> None:
    folded = MessageFold("m1")
    folded.add([*called(), Data(type="data-a", data=1, id="x")])
    assert folded.tool("c1") is folded.parts[0] and folded.tool("c2") is None
    assert folded.data("data-a", "x") is folded.parts[1] and folded.data("data-b", "x") is None
