"""The turns that are recorded as golden fixtures."""

from collections.abc import Callable
from pathlib import Path

from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated]
)
from google.adk.agents.base_agent import BaseAgent
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Calls
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.wallet import Wallet
from tests.support.conversations.canned_model import CannedModel, reply, text
from tests.support.golden.record import Scene

PLACE = {"latitude": 35.68, "longitude": 139.76, "accuracy": 12, "timestamp": 1}


def demo(state: Path) -> BaseAgent:
    return build_agent(wallet=Wallet(state))


def canned(*turns: list[LlmResponse], tools: bool = True) -> BaseAgent:
    def get_weather(location: str) -> dict[str, str]:
        """The weather."""
        return {"location": location, "condition": "sunny"}

    model = CannedModel(turns=list(turns))
    return LlmAgent(name="canned", model=model, tools=[get_weather] if tools else [])


def decide(*verdicts: bool) -> Callable[[Calls], list[types.Part]]:
    def answer(calls: Calls) -> list[types.Part]:
        waiting = [call for call in calls.open() if call.waits_for_approval]
        pairs = zip(waiting, verdicts, strict=False)
        return [tool_responses.decision_part(call, verdict, None) for call, verdict in pairs]

    return answer


def locate(calls: Calls) -> list[types.Part]:
    return [tool_responses.response_part(call, PLACE) for call in calls.open()]


def _call(name: str | None, call_id: str, **fields: object) -> types.Part:
    call = types.FunctionCall.model_validate({"name": name, "id": call_id, **fields})
    return types.Part(function_call=call)


def _arg(path: str, **value: object) -> types.PartialArg:
    return types.PartialArg.model_validate({"json_path": path, **value})


def streamed_arguments(state: Path) -> BaseAgent:
    pieces = [
        _call("get_weather", "c1", will_continue=True),
        _call(None, "c1", partial_args=[_arg("$.location", string_value="To", will_continue=True)]),
        _call(None, "c1", partial_args=[_arg("$.location", string_value="kyo")]),
    ]
    whole = _call("get_weather", "c1", args={"location": "Tokyo"})
    return canned(
        [*(reply(piece, partial=True) for piece in pieces), reply(whole, partial=False)],
        [reply(text("Sunny."), partial=True), reply(text("Sunny."), partial=False)],
    )


def grounded(state: Path) -> BaseAgent:
    web = types.GroundingChunkWeb(uri="https://example.org/a", title="A")
    book = types.GroundingChunkRetrievedContext(uri="gs://bucket/book.pdf", title="Book")
    grounding = types.GroundingMetadata(
        grounding_chunks=[
            types.GroundingChunk(web=web),
            types.GroundingChunk(retrieved_context=book),
        ]
    )
    cited = types.Citation(uri="https://example.org/b", title="B")
    again = types.Citation(uri="https://example.org/a", title="A")
    citations = types.CitationMetadata(citations=[cited, again])
    notes = {"grounding_metadata": grounding, "citation_metadata": citations}
    whole = reply(text("See A."), partial=False, finish_reason="STOP", **notes)
    return canned([reply(text("See A."), partial=True, **notes), whole], tools=False)


def code_execution(state: Path) -> BaseAgent:
    code = types.Part(
        executable_code=types.ExecutableCode(code="1+1", language=types.Language.PYTHON)
    )
    result = types.Part(
        code_execution_result=types.CodeExecutionResult(
            outcome=types.Outcome.OUTCOME_OK, output="2"
        )
    )
    return canned([reply(code, result, text("It is 2."), partial=False)], tools=False)


def transfer(state: Path) -> BaseAgent:
    model = CannedModel(
        turns=[
            [reply(_call("transfer_to_agent", "t1", args={"agent_name": "billing"}))],
        ]
    )
    billing = CannedModel(turns=[[reply(text("Billing here."))]])
    helper = LlmAgent(name="billing", description="Bills.", model=billing)
    return LlmAgent(name="root", model=model, sub_agents=[helper])


def parallel(state: Path) -> BaseAgent:
    def one(name: str) -> LlmAgent:
        pieces = [reply(text(f"{name}{n} "), partial=True) for n in range(3)]
        whole = reply(text("".join(f"{name}{n} " for n in range(3))), partial=False)
        return LlmAgent(name=name, model=CannedModel(turns=[[*pieces, whole]]))

    agents: list[BaseAgent] = [one("a"), one("b")]
    return ParallelAgent(name="both", sub_agents=agents)  # pyright: ignore[reportDeprecated]


SCENES: dict[str, Scene] = {
    "text": Scene(demo, "/say 3"),
    "text-not-streamed": Scene(demo, "/think hm\n/say 2", streaming=False),
    "reasoning": Scene(demo, "/think let me see\n/say 2"),
    "image": Scene(demo, "/image"),
    "weather": Scene(demo, "What is the weather in London?"),
    "weather-not-streamed": Scene(demo, "What is the weather in London?", streaming=False),
    "unknown-tool": Scene(demo, "/call nosuch {}"),
    "payment-refused": Scene(demo, '/call process_payment {"amount": -5, "recipient": "x"}'),
    "payment-asked": Scene(demo, "Send $50 to Hanako"),
    "payment-approved": Scene(demo, "Send $50 to Hanako", decide(True)),
    "payment-denied": Scene(demo, "Send $50 to Hanako", decide(False)),
    "payments-asked": Scene(demo, "Pay Alice $30 and Bob $40"),
    "payments-both": Scene(demo, "Pay Alice $30 and Bob $40", decide(True, True)),
    "payments-one-answered": Scene(demo, "Pay Alice $30 and Bob $40", decide(True)),
    "payments-mixed": Scene(demo, "Pay Alice $30 and Bob $40", decide(True, False)),
    "payments-in-order": Scene(demo, "Send $30 to Alice, then $40 to Bob", decide(True)),
    "payment-asked-adk-tool": Scene(
        demo, '/say 2\n/call process_payment {"amount": 5, "recipient": "Bob"}', None, "adk-tool"
    ),
    "payment-approved-adk-tool": Scene(demo, "Send $50 to Hanako", decide(True), "adk-tool"),
    "payment-denied-adk-tool": Scene(demo, "Send $50 to Hanako", decide(False), "adk-tool"),
    "location-asked": Scene(demo, "Where am I?"),
    "location-answered": Scene(demo, "Where am I?", locate),
    "location-asked-adk-tool": Scene(demo, "Where am I?", None, "adk-tool"),
    "bgm-asked": Scene(demo, "Change the BGM to track 2"),
    "four-tools": Scene(
        demo,
        '/call process_payment {"amount": 5, "recipient": "Bob"}\n/call get_location\n'
        '/call change_bgm {"track": 1}\n/call get_weather {"location": "Tokyo"}',
    ),
    "model-error": Scene(demo, "/say 2\n/error 500"),
    "model-dropped": Scene(demo, "/think hm\n/drop 2"),
    "model-busy": Scene(demo, "/error 429"),
    "filtered": Scene(demo, "/error SAFETY"),
    "filtered-after-text": Scene(demo, "/say 2\n/error SAFETY"),
    "cut-off": Scene(demo, "/say 2\n/error MAX_TOKENS"),
    "malformed-call": Scene(demo, "/error MALFORMED_FUNCTION_CALL"),
    "streamed-arguments": Scene(streamed_arguments),
    "grounded": Scene(grounded),
    "code-execution": Scene(code_execution),
    "transfer": Scene(transfer),
    "parallel-agents": Scene(parallel),
}
