"""Plays a scenario and keeps in it what came: what the model was asked, and the chunks."""

from collections.abc import Iterable
from typing import Protocol

from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    SocketTurn,
    Step,
)
from adk_stream_protocol.recording.stand_in.play import Play

_ALWAYS = ("method", "contents")


class LiveChat(Protocol):
    """A chat on a socket, in one dialect or the other."""

    async def play(self, turn: SocketTurn) -> list[Json]: ...


async def update_http(scenario: Scenario, chat: HttpChat) -> None:
    """Keep what comes over HTTP."""
    naming = Naming(scenario.varies)
    for turn in scenario.turns:
        answers = [step.frames or step.body for step in turn.model]
        naming.keep([turn.client, answers])
        wanted = [dict.fromkeys((*_ALWAYS, *step.request)) for step in turn.model]
        for exchange in turn.model:
            exchange.request = {}
        chunks, play = await chat.play(turn)
        naming.learn(chunks)
        naming.hear(chat.names.fill(answers))
        turn.chunks = naming.apply(chunks)
        for exchange, keys, asked in zip(turn.model, wanted, play.received, strict=True):
            exchange.request = naming.apply({key: asked[key] for key in keys})
        assert chat.names.differences(turn.chunks, chunks) == []


async def update_socket(scenario: SocketScenario, chat: LiveChat, play: Play) -> Naming:
    """Keep what comes over the socket; the names are for `name_steps`, after the last step."""
    naming = Naming(scenario.varies)
    naming.keep([step.send for steps in scenario.connections for step in steps])
    naming.keep([[turn.client, turn.frames, turn.then] for turn in scenario.turns])
    for turn in scenario.turns:
        chunks = await chat.play(turn)
        naming.learn(chunks)
        turn.chunks = naming.apply(chunks)
        assert play.names.differences(turn.chunks, chunks) == []
    return naming


def name_steps(connections: Iterable[Iterable[Step]], naming: Naming) -> None:
    """Put names into what the model's side was sent."""
    for step in (step for steps in connections for step in steps):
        step.expect = naming.apply(step.expect)
        step.expect_all = naming.apply(step.expect_all)
