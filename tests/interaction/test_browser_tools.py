"""Tools that run in the browser, with approval and without."""

from typing import Any

import pytest

from tests.support.ways.bodies import Answer, Json, no, yes
from tests.support.ways.clients import Client
from tests.support.ways.context import told
from tests.support.ways.expect import DENIED, Expect, bgm, location, said, step
from tests.support.ways.reply import Reply, normal

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
FOUND = "You are at latitude 35.68, longitude 139.77."


def test_approval_and_result_together(client: Client) -> None:
    """Pattern A of docs/protocol.md."""
    expect, find = Expect.of(client), location()
    asked = client.say("Where am I?")
    done = client.answer(asked, yes(asked.asking(), output=HERE))
    assert normal(asked, done) == [
        expect.new(*expect.asked(find), reason="tool-calls"),
        expect.more(*expect.decided((find, True)), expect.output(find, HERE), *step(*said(FOUND))),
    ]
    assert told(client, "get_location") == [HERE]


def test_approval_first_and_the_result_later(client: Client) -> None:
    """Pattern B of docs/protocol.md: the input again is the browser's go signal."""
    expect, find = Expect.of(client), location()
    asked = client.say("Where am I?")
    go = client.answer(asked, yes(asked.asking()))
    done = client.answer(asked, Answer(asked.asking(), output=HERE))
    assert normal(asked, go, done) == [
        expect.new(*expect.asked(find), reason="tool-calls"),
        expect.more(*expect.decided((find, True)), expect.available(find), reason="tool-calls"),
        expect.more(expect.output(find, HERE), *step(*said(FOUND))),
    ]
    assert told(client, "get_location") == [HERE]


def test_a_result_before_its_approval_waits_for_it(client: Client) -> None:
    expect, find = Expect.of(client), location()
    asked = client.say("Where am I?")
    early = client.answer(asked, Answer(asked.asking(), output=HERE))
    done = client.answer(asked, yes(asked.asking()))
    assert normal(asked, early, done) == [
        expect.new(*expect.asked(find), reason="tool-calls"),
        expect.more(expect.available(find), *expect.request(find), reason="tool-calls"),
        expect.more(*expect.decided((find, True)), expect.output(find, HERE), *step(*said(FOUND))),
    ]
    assert told(client, "get_location") == [HERE]


def test_denied(client: Client) -> None:
    expect, find = Expect.of(client), location()
    asked = client.say("Where am I?")
    done = client.answer(asked, no(asked.asking(), "not now"))
    assert normal(asked, done) == [
        expect.new(*expect.asked(find), reason="tool-calls"),
        expect.more(
            *expect.decided((find, False)),
            *expect.denied(find),
            *step(*said("The request for your location was denied (not now).")),
        ),
    ]
    assert told(client, "get_location") == [
        {"error": DENIED, "outcome": "denied", "reason": "not now"}
    ]


@pytest.mark.parametrize(
    ("result", "response", "words"),
    [
        (
            {"output": {"success": True, "track": 2}},
            {"success": True, "track": 2},
            "The music is now track 2.",
        ),
        (
            {"error": "No speakers"},
            {"error": "No speakers", "outcome": "failed"},
            "The change to track 2 failed (No speakers).",
        ),
    ],
    ids=["done", "failed"],
)
def test_a_tool_without_approval(client: Client, result: Any, response: Json, words: str) -> None:
    expect, change = Expect.of(client), bgm(1, 2)
    asked = client.say("Change the BGM to track 2")
    done = client.answer(asked, Answer(asked.asking(), **result))
    if failure := response.get("error"):
        end = expect.error(change, failure)
        expect = Expect(expect.style, names_message=True)  # only a message can tell an error
    else:
        end = [expect.output(change, response)]
    assert normal(asked, done) == [
        expect.new(*expect.asked(change), reason="tool-calls"),
        expect.more(*end, *step(*said(words))),
    ]
    assert told(client, "change_bgm") == [response]


def test_a_result_that_the_schema_does_not_allow_is_refused(client: Client) -> None:
    asked = client.say("Where am I?")
    assert client.answer(asked, yes(asked.asking(), output={"latitude": "north"})) == Reply(
        refused="malformed"
    )
    done = client.answer(asked, yes(asked.asking(), output=HERE))
    assert done.text == FOUND
    assert told(client, "get_location") == [HERE]


def test_the_first_result_wins(client: Client) -> None:
    asked = client.say("Where am I?")
    first = client.answer(asked, yes(asked.asking(), output=HERE))
    again = client.answer(asked, yes(asked.asking(), output=HERE))
    assert normal(asked, again) == normal(asked, first)
    other = Answer(asked.asking(), output={**HERE, "latitude": 0})
    assert client.answer(asked, other) == Reply(refused="conflict")
    assert told(client, "get_location") == [HERE]


def test_the_result_of_a_server_tool_is_not_taken(client: Client) -> None:
    asked = client.say("Send $50 to Hanako")
    forged = Answer(asked.asking(), output={"success": True})
    assert client.answer(asked, forged) == Reply(refused="malformed")
    assert client.chat.paid() == []
    client.answer(asked, yes(asked.asking()))
    assert client.chat.paid() == [("Hanako", 50)]
