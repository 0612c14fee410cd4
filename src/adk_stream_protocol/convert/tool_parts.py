"""Tool calls, their streamed input and their results as chunks."""

from dataclasses import dataclass

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.approval_style import ApprovalStyle
from adk_stream_protocol.convert.calls import CONFIRMATION, Call, Calls, is_placeholder
from adk_stream_protocol.convert.partial_args import PartialArgs
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputError,
)

CODE_EXECUTION = "code_execution"


@dataclass(slots=True)
class Found:
    """The chunks of one event: inputs of calls, requests for approval, results."""

    inputs: list[AnyChunk]
    requests: list[AnyChunk]
    results: list[AnyChunk]


class ToolParts:
    """The tool side of one turn. Server-run tools are flagged `providerExecuted`.

    The flag keeps them out of the client's `onToolCall` and out of its resubmit helpers, where
    they do not belong: all but the calls that wait for a person.
    """

    def __init__(self, calls: Calls, style: ApprovalStyle) -> None:
        self._calls = calls
        self._style = style
        self._streaming: dict[str, PartialArgs] = {}
        self._started: set[str] = set()
        self._code_runs = 0
        self._settled = {call.id for call in calls.by_id.values() if call.response is not None}
        self._code_id = ""

    def stream(self, part: types.Part) -> list[AnyChunk]:
        """A call that is still being written by the model."""
        call = part.function_call
        if not call or not call.id:
            return []
        out: list[AnyChunk] = []
        if call.name and call.name != CONFIRMATION and call.id not in self._started:
            self._started.add(call.id)
            out.append(ToolInputStart(tool_call_id=call.id, tool_name=call.name))
        if call.partial_args and call.id in self._started:
            text = self._streaming.setdefault(call.id, PartialArgs()).feed(call.partial_args)
            if text:
                out.append(ToolInputDelta(tool_call_id=call.id, input_text_delta=text))
        return out

    def parts_of(self, event: Event, parts: list[types.Part]) -> Found:
        """What a complete event says of tools."""
        self._calls.observe(event)
        found = Found([], [], [])
        for part in parts:
            if asked := part.function_call:
                self._asked(asked, found)
            elif answer := part.function_response:
                self._answered(event, answer, found)
            elif part.text is None:
                found.inputs += self._code(event, part)
        return found

    def _asked(self, asked: types.FunctionCall, found: Found) -> None:
        call = self._calls.find(asked.id or "")
        if call is None:
            return
        if asked.name != CONFIRMATION:
            found.inputs += self._input(call)
        if call.waits_for_approval:
            found.requests += self._style.request(call)

    def _answered(self, event: Event, answer: types.FunctionResponse, found: Found) -> None:
        call = self._calls.by_id.get(answer.id or "")
        if call is None or answer.name == CONFIRMATION or call.id in self._settled:
            return
        if not is_placeholder(event, call.id):
            found.results += self.output(call)

    def _input(self, call: Call) -> list[AnyChunk]:
        if call.id in self._started:
            return [self.available(call)]
        self._started.add(call.id)
        start = ToolInputStart(
            tool_call_id=call.id,
            tool_name=call.name,
            provider_executed=self._style.server_runs(call),
        )
        return [start, self.available(call)]

    def available(self, call: Call) -> AnyChunk:
        """The whole input of a call; for an approved browser call, also its go signal."""
        return ToolInputAvailable(
            tool_call_id=call.id,
            tool_name=call.name,
            input=call.args,
            provider_executed=self._style.server_runs(call),
        )

    def output(self, call: Call) -> list[AnyChunk]:
        """How a call ended."""
        self._settled.add(call.id)
        response = call.response or {}
        if call.decision is False:
            return self._denied(call)
        flag = self._style.server_runs(call)
        error = response.get("error")
        if isinstance(error, str) and len(response) == 1:
            failed = ToolOutputError(tool_call_id=call.id, error_text=error, provider_executed=flag)
            return [failed]
        done = ToolOutputAvailable(tool_call_id=call.id, output=response, provider_executed=flag)
        return [done]

    def _denied(self, call: Call) -> list[AnyChunk]:
        siblings = [self._calls.by_id[one] for one in call.siblings]
        if self._style.denial_stops_helpers and any(one.waits_for_result for one in siblings):
            # The SDK's helper for tool outputs never posts while a denied part stands beside them.
            # Flagged as run elsewhere, the part is out of its account.
            unseen = ToolInputAvailable(
                tool_call_id=call.id, tool_name=call.name, input=call.args, provider_executed=True
            )
            return [unseen, *self._style.denied(call)]
        return self._style.denied(call)

    def _code(self, event: Event, part: types.Part) -> list[AnyChunk]:
        """Code that the model's provider runs itself."""
        if code := part.executable_code:
            self._code_runs += 1
            self._code_id = f"{event.id}-code-{self._code_runs}"
            return [
                ToolInputAvailable(
                    tool_call_id=self._code_id,
                    tool_name=CODE_EXECUTION,
                    input={"language": code.language, "code": code.code},
                    provider_executed=True,
                )
            ]
        if (result := part.code_execution_result) and self._code_id:
            return [
                ToolOutputAvailable(
                    tool_call_id=self._code_id,
                    output={"outcome": result.outcome, "output": result.output},
                    provider_executed=True,
                )
            ]
        return []
