"""What the live model does next when several things happen at once, without a clock or a runner."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.dialogue import Dialogue
from adk_stream_protocol.testing.live.playback import Burst
from adk_stream_protocol.testing.script.actions import Hang

REQUESTED = LiveConfig.of(LlmRequest(), calls_at_once=True, parallel_calls=None)
DONE = ["generation_complete", "turn_complete"]


class Messenger:
    """A dialogue in text, its steps as short names."""

    def __init__(self) -> None:
        self.model = Dialogue(replace(REQUESTED, speaks=False))
        self._ids: dict[str, str] = {}

    def type(self, text: str, *, complete: bool = True) -> None:
        self.model.type([types.Part(text=text)], complete=complete)

    def answer(self, name: str, *, will_continue: bool = False) -> None:
        response = types.FunctionResponse(
            id=self._ids[name], name=name, response={}, will_continue=will_continue
        )
        self.model.respond([response])

    def steps(self, count: int) -> list[list[Any]]:
        return [self._step() for _ in range(count)]

    def _step(self) -> list[Any]:
        match self.model.advance():
            case Burst(messages):
                return [name for message in messages for name in self._names(message)]
            case other:
                return [other]

    def _names(self, message: types.LiveServerMessage) -> Iterator[str]:
        calls = message.tool_call.function_calls if message.tool_call else None
        for call in calls or []:
            self._ids[call.name or ""] = call.id or ""
            yield f"call {call.name}"
        if withdrawn := message.tool_call_cancellation:
            yield f"withdraw {len(withdrawn.ids or [])}"
        if content := message.server_content:
            said = content.model_turn.parts if content.model_turn else None
            yield from (part.text or "" for part in said or [])
            flags = ("interrupted", "generation_complete", "turn_complete")
            yield from (flag for flag in flags if getattr(content, flag))


def test_it_waits_for_input() -> None:
    talk = Messenger()
    assert talk.steps(1) == [[None]]
    talk.type("/say 1", complete=False)
    assert talk.steps(1) == [[None]]
    talk.type("/say 1")
    assert talk.steps(4) == [["1 "], ["1 "], DONE, [None]]


def test_a_second_message_interrupts_the_answer_to_the_first() -> None:
    talk = Messenger()
    talk.type("/say 2")
    assert talk.steps(1) == [["1 "]]
    talk.type("/say 1")
    assert talk.steps(3) == [["interrupted", "turn_complete"], ["1 "], DONE]


def test_a_finished_answer_is_not_interrupted() -> None:
    talk = Messenger()
    talk.type("/say 1")
    assert talk.steps(1) == [["1 "]]
    talk.type("/say 1")
    assert talk.steps(3) == [DONE, ["1 "], DONE]


def test_a_call_is_made_even_if_the_user_writes_on() -> None:
    talk = Messenger()
    talk.type("/call f\n/call g\n/then\n/say 1")
    asked = ["generation_complete"]
    assert talk.steps(1) == [["generation_complete", "call f"]]
    talk.answer("f")
    talk.type("/say 2")
    assert talk.steps(3) == [asked, ["generation_complete", "call g"], asked]
    assert talk.steps(3) == [["1 "], ["2 "], DONE]
    talk.answer("g")
    assert talk.steps(2) == [["1 "], DONE]


def test_a_result_waits_for_the_end_of_another_answer() -> None:
    talk = Messenger()
    talk.type("/call f\n/then\n/say 1")
    assert talk.steps(2)[0][1] == "call f"
    talk.type("/say 2")
    assert talk.steps(1) == [["1 "]]
    talk.answer("f")
    assert talk.steps(4) == [["2 "], DONE, ["1 "], DONE]


def test_a_silence_is_interrupted_but_not_by_a_result() -> None:
    talk = Messenger()
    talk.type("/call f\n/hang 5")
    assert talk.steps(2)[1] == [Hang(5)]
    talk.answer("f")
    assert not talk.model.interrupts()
    talk.model.speech_began()
    assert talk.model.interrupts()


def test_what_is_open_is_withdrawn_once() -> None:
    talk = Messenger()
    talk.type("/call f")
    assert talk.steps(2)[0][1] == "call f"
    talk.answer("f", will_continue=True)
    talk.type("/withdraw\n/withdraw")
    assert talk.steps(2) == [["withdraw 1"], DONE]
    talk.answer("f")
    assert talk.steps(1) == [[None]]


def test_what_is_answered_is_not_withdrawn() -> None:
    talk = Messenger()
    talk.type("/call f\n/then\n/say 1")
    talk.steps(2)
    talk.answer("f")
    assert talk.steps(2) == [["1 "], DONE]
    talk.type("/withdraw")
    assert talk.steps(1) == [DONE]
