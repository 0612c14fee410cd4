"""Tool calls, their streamed input and their results as chunks."""

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import CONFIRMATION, Call, Calls, Seen
from adk_stream_protocol.convert.encode.approval_style import (
    STYLES,
    ApprovalStyleName,
    outcome_part,
)
from adk_stream_protocol.convert.encode.partial_args import PartialArgs
from adk_stream_protocol.convert.tool_responses import is_bare_error, outcome_code
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputError,
)

CODE_EXECUTION = "code_execution"


class ToolParts:
    """The tool side of one turn. Server-run tools are flagged `providerExecuted`.

    The flag keeps them out of the client's `onToolCall` and out of its resubmit helpers, where
    they do not belong: all but the calls that wait for a person.
    """

    def __init__(self, calls: Calls, approvals: ApprovalStyleName) -> None:
        self._calls = calls
        self._style = STYLES[approvals]
        self.holds_text = self._style.holds_text
        """Whether text waits for the last answer."""
        self._streaming: dict[str, PartialArgs] = {}
        self._started: set[str] = set()
        self._code_runs = 0
        self._settled = {call.id for call in calls.by_id.values() if call.response is not None}
        self._code_id = ""

    def stream(self, part: types.Part) -> list[AnyChunk]:
        """Encode a piece of a call that the model is still writing."""
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

    def asked(self, seen: Seen, out: list[AnyChunk]) -> None:
        """Encode the inputs of all calls of an event, then the requests for approval."""
        for call in seen.asked:
            if call.id not in self._started:
                self._started.add(call.id)
                # Who runs it is said with the whole input: while it streams in, nobody knows.
                out.append(ToolInputStart(tool_call_id=call.id, tool_name=call.name))
            out.append(self.available(call))
        for call in (*seen.asked, *seen.dialogs):
            if call.waits_for_approval:
                out += self._style.request(call)

    def answered(self, seen: Seen, out: list[AnyChunk]) -> bool:
        """Encode the results that an event brings. Return False if all were known before."""
        before = len(out)
        for call in seen.answered:
            if call.id not in self._settled:
                out += self.output(call)
        return len(out) > before

    def available(self, call: Call) -> AnyChunk:
        """Send the whole input of a call; for an approved browser call, that is its go signal."""
        return ToolInputAvailable(
            tool_call_id=call.id,
            tool_name=call.name,
            input=call.args,
            provider_executed=self._style.hidden_from_resubmit(call),
        )

    def decided(self, call: Call, approved: bool) -> list[AnyChunk]:
        """Show that a person answered the request for a call."""
        return self._style.decided(call, approved)

    def planned(self, plan: Plan) -> list[AnyChunk]:
        """Show decisions, results and go signals. Return early answered calls to their request."""
        out: list[AnyChunk] = []
        for decision in plan.decisions:
            out += self.decided(decision.call, decision.approved)
        for call, response in plan.results:
            call.response = response
        for call in (*plan.unacknowledged, *(call for call, _ in plan.results)):
            out += self.output(call)
        for call in plan.may_run_in_browser:
            out.append(self.available(call))
        for call, _ in plan.early_results:
            out += [self.available(call), *self._style.request(call)]
        return out

    def output(self, call: Call) -> list[AnyChunk]:
        """Show how a call ended."""
        self._settled.add(call.id)
        response = call.response or {}
        if call.decision is False:
            return [outcome_part(call, "denied"), *self._denied(call)]
        flag = self._style.hidden_from_resubmit(call)
        if (outcome := outcome_code(response)) and is_bare_error(response):
            failed = ToolOutputError(
                tool_call_id=call.id, error_text=response["error"], provider_executed=flag
            )
            return [outcome_part(call, outcome), *self._unanswered(call, ran=False), failed]
        done = ToolOutputAvailable(tool_call_id=call.id, output=response, provider_executed=flag)
        return [*self._unanswered(call, ran=True), done]

    def _unanswered(self, call: Call, *, ran: bool) -> list[AnyChunk]:
        """Close a request that nobody answered here, say because it expired, with its call."""
        if call.approval_id is None or call.decision is not None:
            return []
        return self._style.decided(call, ran)

    def _denied(self, call: Call) -> list[AnyChunk]:
        siblings = [self._calls.by_id[call_id] for call_id in call.siblings]
        if self._style.denied_part_blocks_resubmit and any(
            sibling.waits_for_result for sibling in siblings
        ):
            # The SDK's helper for tool outputs never posts while a denied part stands beside them.
            # Flagged as run elsewhere, the part is out of its account.
            unseen = ToolInputAvailable(
                tool_call_id=call.id, tool_name=call.name, input=call.args, provider_executed=True
            )
            return [unseen, *self._style.denied(call)]
        return self._style.denied(call)

    def code(self, event: Event, part: types.Part) -> list[AnyChunk]:
        """Encode code that the model's provider runs itself."""
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
