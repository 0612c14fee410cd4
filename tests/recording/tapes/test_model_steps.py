"""The model's side of a tape: steps, what they wait for, and what is left out of them."""

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import Step
from adk_stream_protocol.recording.tapes.model_steps import ModelSteps
from adk_stream_protocol.recording.tapes.tape import Closed, Connected, Lost, OfModel, Said, Sent


def steps_of(*entries: OfModel) -> list[list[Step]]:
    steps = ModelSteps(Naming())
    for entry in entries:
        steps.take(entry)
    return steps.connections(set())


def response(name: str) -> Json:
    return {"tool_response": {"name": name}}


def test_connections_end_by_a_code_or_break() -> None:
    assert steps_of(Connected(1), Closed(1, 1011, "quota"), Connected(2), Lost(2)) == [
        [Step(close=1011, reason="quota")],
        [Step(drop=True)],
    ]


def test_handles_are_numbered() -> None:
    update: Json = {"sessionResumptionUpdate": {"newHandle": "a-secret"}}
    again: Json = {"setup": {"sessionResumption": {"handle": "a-secret"}, "model": "models/m"}}
    first, second = steps_of(Connected(1), Said(1, update), Connected(2), Sent(2, again))
    assert first == [Step(send={"sessionResumptionUpdate": {"newHandle": "handle-1"}})]
    assert second[0].expect == {
        "setup": {"sessionResumption": {"handle": "handle-1"}, "model": "models/m"}
    }


def test_the_users_voice_is_left_out() -> None:
    assert steps_of(Connected(1), Sent(1, {"realtime_input": {"audio": {}}})) == []


def test_results_of_calls_that_ran_together_come_in_any_order() -> None:
    ((step,),) = steps_of(Connected(1), *(Sent(1, response(name)) for name in "abc"))
    assert step.expect_all == [response("a"), response("b"), response("c")]


def test_results_after_the_client_acted_come_in_order() -> None:
    steps = ModelSteps(Naming())
    for entry in (Connected(1), Sent(1, response("a"))):
        steps.take(entry)
    steps.client_acts()
    steps.take(Sent(1, response("b")))
    assert steps.connections(set()) == [[Step(expect=response("a")), Step(expect=response("b"))]]


def test_what_waits_for_a_signal_that_nobody_gives_is_cut_off() -> None:
    steps = ModelSteps(Naming())
    steps.take(Connected(1))
    steps.take(Said(1, {"n": 1}))
    steps.hold("turn-2")
    steps.take(Said(1, {"n": 2}))
    assert steps.waits() == {"turn-2"}
    assert steps.connections({"turn-2"}) == [
        [Step(send={"n": 1}), Step(wait="turn-2"), Step(send={"n": 2})]
    ]
    assert steps.connections(set()) == [[Step(send={"n": 1})]]
