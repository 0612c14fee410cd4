"""Plain talk, server tools, and turns that fail: the same chunks over every way."""

import pytest

from tests.interaction.conftest import LIVE, Variant
from tests.support.ways.bodies import Asked, yes
from tests.support.ways.clients import Client
from tests.support.ways.context import told
from tests.support.ways.expect import Call, Expect, payment, receipt, said, step, thought, weather
from tests.support.ways.reply import Reply, normal


def test_text(client: Client) -> None:
    expect = Expect.of(client)
    first, second = client.say("Hello"), client.say("Thanks")
    assert normal(first, second) == [
        expect.new(*step(*said("Hello! What can I do for you?"))),
        expect.new(*step(*said("You are welcome!")), message=2),
    ]
    assert len(first.of("text-delta")) > 1, "it is streamed"


def test_reasoning(client: Client, variant: Variant) -> None:
    expect = Expect.of(client)
    done = client.say("/think let me see\n/say 3")
    words, thoughts = said("1 2 3 ", 1), thought("let me see")
    if variant.style == "native":
        # A response closes its reasoning when it ends: it may go on thinking between words.
        parts = [*thoughts[:2], *words[:2], thoughts[2], words[2]]
        assert normal(done) == [expect.new(*step(*parts))]
    else:
        assert normal(done) == [expect.new(*step(*thoughts), *step(*words))]


def test_a_tool_of_the_server(client: Client) -> None:
    expect, look = Expect.of(client), weather(1, "London")
    done = client.say("What is the weather in London?")
    (result,) = told(client, "get_weather")
    words = done.text
    assert "London" in words
    assert normal(done) == [
        expect.new(*step(expect.available(look), expect.output(look, result)), *step(*said(words)))
    ]


def test_a_picture(client: Client) -> None:
    done = client.say("/image")
    assert done.types == ["start", "start-step", "file", "finish-step", "finish"]
    (file,) = done.of("file")
    assert file["mediaType"] == "image/png" and file["url"].startswith("data:image/png;base64,")


def test_a_tool_that_raises(client: Client) -> None:
    expect, call = Expect.of(client), Call(1, "explode", {})
    done = client.say("/call explode {}")
    failed = "The tool explode failed (reference R)."
    (words,) = [chunk for chunk in normal(done)[0] if chunk["type"] == "text-delta"]
    assert normal(done) == [
        expect.new(
            *step(expect.available(call), *expect.error(call, failed)),
            *step(*said(words["delta"])),
        )
    ]
    assert "failed" in words["delta"] and "secret" not in str(done.chunks)


def test_a_gated_tool_that_raises(client: Client) -> None:
    asked = client.say("/call explode_if_allowed {}")
    done = client.answer(asked, yes(asked.asking()))
    (failed,) = [chunk for chunk in normal(done)[0] if chunk["type"] == "tool-output-error"]
    assert failed["errorText"] == "The tool explode_if_allowed failed (reference R)."
    assert "failed" in done.text and "secret" not in str(done.chunks)
    assert client.say("Hello").text == "Hello! What can I do for you?"


@pytest.mark.parametrize("says", ["/say 2\n/error 500", "/error 503"])
def test_a_model_that_fails_in_mid_stream(client: Client, says: str) -> None:
    """What was said is kept, every part is closed, and the chat takes the next turn."""
    failed = client.say(says)
    assert failed.types[-1] == "error"
    assert failed.text in ("1 2 ", "")
    assert failed.types.count("text-start") == failed.types.count("text-end")
    assert failed.types.count("start-step") == failed.types.count("finish-step")
    assert "reference" in failed.chunks[-1]["errorText"]
    assert client.say("Hello").text == "Hello! What can I do for you?"


def test_a_link_that_breaks_in_mid_stream(client: Client, variant: Variant) -> None:
    """A live link is taken up again; a request has failed."""
    done = client.say("/drop 2")
    assert (done.text, done.types[-1]) == ("1 2 ", "finish" if variant.way in LIVE else "error")
    assert client.say("Hello").text == "Hello! What can I do for you?"


def test_a_model_that_fails_after_a_payment(client: Client) -> None:
    expect, pay = Expect.of(client), payment(1, 50, "Hanako")
    asked = client.say(
        '/call process_payment {"amount": 50, "recipient": "Hanako", "currency": "USD"}\n'
        "/then\n/say 2\n/error 500"
    )
    failed = client.answer(asked, yes(asked.asking()))
    (error,) = failed.of("error")
    assert normal(asked, failed)[1] == [
        *expect.more(
            *expect.decided((pay, True)),
            expect.output(pay, receipt(pay, 950)),
            *step(*said("1 2 ")),
        )[:-1],
        {"type": "error", "errorText": normal(failed)[0][-1]["errorText"]},
    ]
    assert "reference" in error["errorText"]
    assert client.chat.paid() == [("Hanako", 50)]
    assert client.say("Hello").text == "Hello! What can I do for you?"
    assert told(client, "process_payment") == [receipt(pay, 950)]


def test_a_tool_that_does_not_exist(client: Client) -> None:
    done = client.say("/call launch_rockets {}")
    (error,) = done.of("tool-output-error")
    assert error["errorText"] == "There is no tool named launch_rockets."
    assert "failed" in done.text


@pytest.mark.parametrize("name", ["adk_request_confirmation", "adk_request_input"])
def test_a_dialog_that_the_model_makes_is_refused(client: Client, name: str) -> None:
    done = client.say(f"/call {name} {{}}")
    assert done.of("tool-approval-request") == []
    assert name not in {chunk["toolName"] for chunk in done.of("tool-input-available")}
    assert client.say("Hello").text == "Hello! What can I do for you?"


def test_an_answer_to_nothing_is_refused(client: Client) -> None:
    asked = client.say("Send $50 to Hanako")
    stranger = yes(Asked("process_payment", "nobody", "adk-nobody"))
    assert client.answer(asked, stranger) == Reply(refused="unknown")
    client.answer(asked, yes(asked.asking()))
    assert client.chat.paid() == [("Hanako", 50)]
