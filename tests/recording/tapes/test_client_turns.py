"""The client's side of a recorded chat: one turn after another, and what comes in between."""

import pytest

from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import SocketTurn
from adk_stream_protocol.recording.tapes.client_turns import ClientTurns
from adk_stream_protocol.recording.tapes.model_steps import ModelSteps
from adk_stream_protocol.recording.tapes.tape import CannotRecord, Connected, Said

MADE = "0a1b2c3d-0000-4000-8000-0123456789ab"
VOICE = {"type": "audio", "audio": "AA=="}


class Recorded:
    """Turns, and a model that says something now and then."""

    def __init__(self) -> None:
        naming = Naming()
        self.steps = ModelSteps(naming)
        self.steps.take(Connected(1))
        self.turns = ClientTurns(self.steps, naming)

    def model_speaks(self) -> None:
        self.steps.take(Said(1, {"serverContent": {}}))

    def finished(self) -> list[SocketTurn]:
        return self.turns.named()[0]


def test_a_turn_is_complete_at_its_end() -> None:
    recorded = Recorded()
    recorded.turns.begin({"messages": []})
    recorded.turns.chunk({"type": "start"})
    assert recorded.turns.is_open and recorded.finished() == []
    recorded.turns.end()
    assert not recorded.turns.is_open
    assert recorded.finished() == [SocketTurn({"messages": []}, chunks=[{"type": "start"}])]


def test_one_turn_at_a_time() -> None:
    recorded = Recorded()
    recorded.turns.begin({})
    with pytest.raises(CannotRecord, match="before the turn was over"):
        recorded.turns.begin({})


def test_what_comes_outside_of_a_turn_is_left_out() -> None:
    recorded = Recorded()
    recorded.turns.chunk({"type": "start"})
    recorded.turns.refuse("No.")
    recorded.turns.abort()
    recorded.turns.end()
    assert recorded.finished() == [] and not recorded.turns.is_open


def test_a_refusal_ends_the_turn() -> None:
    recorded = Recorded()
    recorded.turns.begin({})
    recorded.turns.refuse("Busy. (busy, reference 12345678)")
    (turn,) = recorded.finished()
    assert turn.refusal == "Busy. (busy, reference <reference-1>)"


def test_a_stop_counts_the_chunks_before_it() -> None:
    recorded = Recorded()
    recorded.turns.begin({})
    recorded.turns.chunk({"type": "start"})
    recorded.turns.abort()
    recorded.turns.chunk({"type": "finish"})
    recorded.turns.end()
    (turn,) = recorded.finished()
    assert (turn.abort_after, len(turn.chunks)) == (1, 2)


def test_speech_belongs_to_the_open_turn_or_to_the_next() -> None:
    recorded = Recorded()
    assert not recorded.turns.sound
    recorded.turns.speak(VOICE)
    recorded.turns.begin({})
    recorded.turns.speak({**VOICE, "audio": "BB=="})
    recorded.turns.end()
    (turn,) = recorded.finished()
    assert (turn.frames, turn.then) == ([VOICE], [{**VOICE, "audio": "BB=="}])
    assert recorded.turns.sound


def test_ids_that_are_new_in_every_run_get_names_and_the_clients_stay() -> None:
    recorded = Recorded()
    theirs = MADE.replace("0a1b", "ffff")
    recorded.turns.begin({"id": theirs})
    recorded.turns.chunk({"type": "start", "messageId": MADE})
    recorded.turns.chunk({"type": "data", "id": theirs})
    recorded.turns.end()
    (turn,) = recorded.finished()
    assert turn.client == {"id": theirs}
    assert turn.chunks == [
        {"type": "start", "messageId": "<message-1>"},
        {"type": "data", "id": theirs},
    ]


def test_a_turn_signals_only_what_the_model_waits_for() -> None:
    recorded = Recorded()
    recorded.turns.begin({})
    recorded.turns.end()
    recorded.model_speaks()
    recorded.turns.begin({})
    recorded.turns.end()
    turns, signals = recorded.turns.named()
    assert [turn.signals for turn in turns] == [[], ["turn-2"]] and signals == {"turn-2"}


def test_a_turn_of_the_servers_is_held_until_it_is_read() -> None:
    recorded = Recorded()
    recorded.turns.announce()
    recorded.model_speaks()
    recorded.turns.begin(None)
    recorded.turns.end()
    turns, signals = recorded.turns.named()
    assert turns == [SocketTurn()] and signals == {"reading-1"}
    assert recorded.steps.waits() == {"reading-1"}
