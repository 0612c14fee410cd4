"""Reads the messages on a client's socket, in each of the two dialects."""

import json
from typing import Any, Protocol

from adk_stream_protocol.protocol.messages import ENVELOPES
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.tapes.client_turns import ClientTurns
from adk_stream_protocol.recording.tapes.tape import CannotRecord

_SOUND = ("audio", "audio-end")
_STOP = ("abort", "interrupt", "stop")
_NAMES_CHAT = ("id", "chatId")


class DialectReader(Protocol):
    """Reads both directions."""

    def up(self, frame: Json) -> None: ...

    def down(self, text: str) -> None: ...


class SdkReader:
    """The AI SDK's frames."""

    def __init__(self, turns: ClientTurns) -> None:
        self._turns = turns
        self._announced = 0
        self._request_id = ""

    def up(self, frame: Json) -> None:
        rest = {key: value for key, value in frame.items() if key != "id"}
        match frame["type"]:
            case "send":
                self._begin({key: rest[key] for key in rest if key not in ("type", "requestId")})
                self._request_id = frame["requestId"]
            case "resume" if self._announced:
                self._announced -= 1
                self._begin(None)
                self._request_id = frame["requestId"]
            case "abort":
                self._turns.abort()
            case kind if kind in _SOUND:
                self._turns.speak(rest)
            case _:
                pass

    def _begin(self, client: Json | None) -> None:
        self._turns.begin(client)

    def down(self, text: str) -> None:
        frame: Json = json.loads(text)
        if frame["type"] == "turn":
            self._announced += 1
            self._turns.announce()
        elif frame.get("requestId") == self._request_id:
            self._answer(frame)
        elif frame["type"] == "start":
            raise CannotRecord("a turn was read again on a new socket")

    def _answer(self, frame: Json) -> None:
        match frame["type"]:
            case "chunk":
                self._turns.chunk(frame["chunk"])
            case "end":
                self._turns.end()
            case "error":
                self._turns.refuse(frame["errorText"])
            case "no-active":
                raise CannotRecord("a turn that the server began was over before it was read")
            case _:
                pass


class EnvelopeReader:
    """Envelopes up, the text of an event stream down."""

    def __init__(self, turns: ClientTurns) -> None:
        self._turns = turns

    def up(self, frame: Json) -> None:
        kind = frame["type"]
        if kind in ENVELOPES:
            self._turns.begin(_without_chat(frame))
        elif kind in _STOP:
            self._turns.abort()
        elif kind in _SOUND:
            self._turns.speak(_without_chat(frame))

    def down(self, text: str) -> None:
        if not text.startswith("data: "):
            return
        data = text[len("data: ") :].strip()
        if data == "[DONE]":
            self._turns.end()
            return
        if not self._turns.is_open:
            self._turns.begin(None)
        self._turns.chunk(json.loads(data))


def _without_chat(frame: Json) -> Json:
    content: dict[str, Any] = {key: frame[key] for key in frame if key not in _NAMES_CHAT}
    data = content.get("data")
    if isinstance(data, dict):
        content["data"] = {key: data[key] for key in data if key not in _NAMES_CHAT}
    return content
