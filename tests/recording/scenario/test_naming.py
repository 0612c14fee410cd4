"""Names for what is new in every run; what a client or the model made keeps its value."""

from adk_stream_protocol.recording.scenario.naming import Naming

MADE = "0a1b2c3d-0000-4000-8000-0123456789ab"
OTHER = "1a1b2c3d-0000-4000-8000-0123456789ab"


def test_an_id_is_named_by_the_place_where_it_is_first_seen() -> None:
    naming = Naming()
    naming.learn({"messageId": MADE, "data": [{"toolCallId": f"adk-{OTHER}"}, "no id"]})
    assert naming.apply({"id": MADE, "said": f"It is adk-{OTHER}.", "n": 7}) == {
        "id": "<message-1>",
        "said": "It is <call-1>.",
        "n": 7,
    }


def test_times_and_references_have_names_too() -> None:
    naming = Naming()
    text = "Busy. (busy, reference 12345678)"
    naming.learn({"expiresAt": "2026-01-01T00:00:00.000Z", "errorText": text})
    assert naming.apply([text, "2026-01-01T00:00:00.000Z"]) == [
        "Busy. (busy, reference <reference-1>)",
        "<time-1>",
    ]


def test_what_the_client_or_the_model_made_is_kept() -> None:
    naming = Naming()
    naming.keep({"id": MADE})
    naming.hear([OTHER])
    naming.learn([MADE, OTHER])
    assert naming.apply([MADE, OTHER]) == [MADE, OTHER]


def test_the_model_repeats_a_name_only_if_it_said_the_id_in_one_piece() -> None:
    naming = Naming()
    naming.learn({"messageId": MADE})
    in_pieces = {"role": "model", "parts": [{"text": MADE}]}
    assert naming.apply(in_pieces) == in_pieces
    naming.hear(MADE)
    assert naming.apply(in_pieces) == {"role": "model", "parts": [{"text": "<message-1>"}]}


def test_fields_that_vary_are_named_by_their_value() -> None:
    naming = Naming({"order": "order"})
    naming.learn([{"order": 17}, {"order": 18}, {"order": 17}])
    assert naming.apply([{"order": 18}, {"order": 17}, {"n": 17}]) == [
        {"order": "<order-2>"},
        {"order": "<order-1>"},
        {"n": 17},
    ]
