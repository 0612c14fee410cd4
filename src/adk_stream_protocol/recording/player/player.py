"""Plays a recorded chat against an app: the model's side from the file, no model behind it."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

import httpx
from starlette.types import ASGIApp

from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket
from adk_stream_protocol.recording.player.envelope_chat import EnvelopeChat
from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.player.updating import (
    LiveChat,
    name_steps,
    update_http,
    update_socket,
)
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    speaks_envelopes,
)
from adk_stream_protocol.recording.stand_in.play import Play, RecordingPlay
from adk_stream_protocol.recording.stand_in.server import GeminiServer

PATIENCE = 60.0
_PLACE = re.compile(r"chunks\[(\d+)\]")
_WIDTH = 300
_FAILURES = (AssertionError, KeyError, TimeoutError)


@dataclass(frozen=True)
class Player:
    """The model's stand-in, and how its app is talked to."""

    gemini: GeminiServer
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    async def differences(self, scenario: Scenario | SocketScenario, app: ASGIApp) -> list[str]:
        """Play a chat: what differs in the first turn that does, a line each."""
        if isinstance(scenario, Scenario):
            return await self._compare_http(scenario, app)
        return await self._compare_socket(scenario, app)

    async def update(self, scenario: Scenario | SocketScenario, app: ASGIApp) -> None:
        """Play a chat and keep in it what came."""
        if isinstance(scenario, Scenario):
            async with self._http(scenario, app) as chat:
                await update_http(scenario, chat)
            return
        play = self.gemini.play(_play(scenario, RecordingPlay))
        async with self._socket(scenario, app, play) as chat:
            naming = await update_socket(scenario, chat, play)
        await asyncio.to_thread(play.finish_open)
        name_steps(scenario.connections, naming)

    async def _compare_http(self, scenario: Scenario, app: ASGIApp) -> list[str]:
        async with self._http(scenario, app) as chat:
            for number, turn in enumerate(scenario.turns, 1):
                try:
                    async with asyncio.timeout(PATIENCE):
                        chunks, _ = await chat.play(turn)
                except _FAILURES as error:
                    return [_failed(number, error)]
                if found := report(chat.names, turn.chunks, chunks, number):
                    return found
        return []

    async def _compare_socket(self, scenario: SocketScenario, app: ASGIApp) -> list[str]:
        play = self.gemini.play(_play(scenario, Play))
        try:
            async with self._socket(scenario, app, play) as chat:
                found = await self._turns(scenario, chat, play)
            if not found and not play.faults:
                await asyncio.to_thread(play.finish_open)
        except (AssertionError, TimeoutError) as error:
            found = [str(error) or "nothing came any more"]
        return play.faults + found

    async def _turns(self, scenario: SocketScenario, chat: LiveChat, play: Play) -> list[str]:
        for number, turn in enumerate(scenario.turns, 1):
            try:
                chunks = await chat.play(turn)
            except _FAILURES as error:
                return [_failed(number, error)]
            if found := report(play.names, turn.chunks, chunks, number):
                return found
        return []

    @asynccontextmanager
    async def _http(self, scenario: Scenario, app: ASGIApp) -> AsyncGenerator[HttpChat]:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://demo", headers=dict(self.headers)
        ) as client:
            yield HttpChat(client, scenario, self.gemini, _new_chat())

    @asynccontextmanager
    async def _socket(
        self, scenario: SocketScenario, app: ASGIApp, play: Play
    ) -> AsyncGenerator[LiveChat]:
        chat_id = _new_chat()
        envelopes = speaks_envelopes(scenario)
        path, _, query = scenario.path.partition("?")
        query = "&".join(filter(None, [query, _query(scenario, chat_id, envelopes)]))
        async with AsgiSocket(app, path, query, headers=self.headers, patience=PATIENCE) as socket:
            yield EnvelopeChat(socket, play) if envelopes else SocketChat(socket, play, chat_id)


def _play(scenario: SocketScenario, kind: type[Play]) -> Play:
    return kind(Names(), connections=scenario.connections, compare_sound=scenario.compare_sound)


def _query(scenario: SocketScenario, chat_id: str, envelopes: bool) -> str:
    return f"chatId={chat_id}" if envelopes else f"approvals={scenario.approvals}"


def report(names: Names, expected: list[Json], actual: list[Json], turn: int) -> list[str]:
    """Describe the first difference, with its chunk on both sides; empty where there is none."""
    found = names.differences(expected, actual, f"turn {turn}: chunks")
    if not found:
        return []
    lines = [found[0]]
    if place := _PLACE.search(found[0]):
        index = int(place[1])
        lines += [f"  - {_chunk(expected, index)}", f"  + {_chunk(actual, index)}"]
    if more := len(found) - 1:
        lines.append(f"  and {more} more in this turn")
    return lines


def _chunk(chunks: list[Any], index: int) -> str:
    if index >= len(chunks):
        return "nothing"
    text = json.dumps(chunks[index], ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def _failed(number: int, error: Exception) -> str:
    match error:
        case TimeoutError():
            return f"turn {number}: it did not end within {PATIENCE:.0f} s"
        case KeyError():
            return f"turn {number}: nothing before it was {error}"
        case _:
            return f"turn {number}: {error}"


def _new_chat() -> str:
    return f"replay-{token_hex(8)}"
