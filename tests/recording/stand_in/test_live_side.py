"""The Live socket of the stand-in: it performs the steps of one connection, one after another."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message
from starlette.websockets import WebSocket

from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Step
from adk_stream_protocol.recording.stand_in.live_side import POLICY_VIOLATION, talk
from adk_stream_protocol.recording.stand_in.play import Play

HI = {"text": "Hi"}


class Transport:
    """Notes that the connection was broken."""

    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Client:
    """The client's end: all that it will send is there, and then it goes."""

    def __init__(self, *frames: Json | bytes) -> None:
        self._up: list[Message] = [{"type": "websocket.connect"}]
        for frame in frames:
            content: Any = (
                {"bytes": frame} if isinstance(frame, bytes) else {"text": json.dumps(frame)}
            )
            self._up.append({"type": "websocket.receive", **content})
        self._up.append({"type": "websocket.disconnect", "code": 1000})
        self.got: list[Message] = []
        self.transport = Transport()

    async def receive(self) -> Message:
        return self._up.pop(0)

    async def send(self, message: Message) -> None:
        self.got.append(message)

    @property
    def frames(self) -> list[Json]:
        return [json.loads(one["bytes"]) for one in self.got if one["type"] == "websocket.send"]

    @property
    def closed(self) -> tuple[int, str] | None:
        ends = [one for one in self.got if one["type"] == "websocket.close"]
        return (ends[0]["code"], ends[0]["reason"]) if ends else None


async def played(client: Client, *steps: Step, **options: Any) -> Play:
    play = Play(Names(), connections=[list(steps)], **options)
    await performed(client, play)
    return play


async def performed(client: Client, play: Play) -> None:
    scope: Any = {
        "type": "websocket",
        "path_params": {"version": "v1"},
        "headers": [],
        "state": {"transport": client.transport},
    }
    websocket = WebSocket(scope, client.receive, client.send)
    async with asyncio.timeout(60):
        await talk(websocket, play)


async def test_it_sends_and_expects_in_turn() -> None:
    client = Client({"id": "c9"}, json.dumps(HI).encode())
    steps = [Step(send={"a": 1}, repeat=2), Step(expect={"id": "<call-1>"})]
    play = await played(client, *steps, Step(send={"id": "<call-1>"}), Step(expect=HI))
    assert client.frames == [{"a": 1}, {"a": 1}, {"id": "c9"}] and client.closed is None
    play.finish()


async def test_frames_in_any_order() -> None:
    client = Client({"n": 2}, {"n": 1})
    (await played(client, Step(expect_all=[{"n": 1}, {"n": 2}]))).finish()
    client = Client({"n": 2}, {"n": 3})
    play = await played(client, Step(expect_all=[{"n": 1}, {"n": 2}]))
    assert client.closed is not None and len(play.faults) == 1


async def test_signals_in_both_directions() -> None:
    play = Play(Names(), connections=[[Step(wait="go"), Step(mark="done"), Step(send=HI)]])
    play.signal("go")
    client = Client()
    await performed(client, play)
    assert play.await_signal("done") is None and client.frames == [HI]


@pytest.mark.parametrize(
    ("frame", "about"),
    [({"text": "Bye"}, "not what the script expects"), (HI, "does not have")],
)
async def test_a_fault_closes_the_connection_and_is_named(frame: Json, about: str) -> None:
    steps = [Step(expect=HI)] if about.startswith("not") else []
    client = Client(frame)
    play = await played(client, *steps)
    assert client.closed is not None
    code, reason = client.closed
    assert code == POLICY_VIOLATION and about in reason and len(reason) <= 120
    assert about in play.faults[0]


async def test_a_connection_that_the_script_does_not_have() -> None:
    client, play = Client(), Play(Names())
    await performed(client, play)
    assert client.closed is not None and "does not have" in client.closed[1]


async def test_the_model_closes_or_breaks_the_connection() -> None:
    client = Client()
    await played(client, Step(close=1011, reason="quota"))
    assert client.closed == (1011, "quota")
    client = Client()
    await played(client, Step(drop=True))
    assert client.transport.is_closed


async def test_a_client_that_goes_too_early_is_named() -> None:
    play = await played(Client(), Step(expect=HI))
    assert "the connection ended before" in play.faults[0]


async def test_sound_is_passed_over_where_it_is_not_compared() -> None:
    voice = {"realtime_input": {"audio": {}}}
    (await played(Client(voice, HI), Step(expect=HI), compare_sound=False)).finish()


async def test_a_step_that_says_nothing_does_nothing() -> None:
    client = Client()
    (await played(client, Step())).finish()
    assert client.frames == [] and client.closed is None
