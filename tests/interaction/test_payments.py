"""A server tool that needs approval: the same chunks and the same money over every way."""

from contextlib import closing
from itertools import product

import pytest

from tests.interaction.conftest import VARIANTS, Variant
from tests.support.ways.bodies import Answer, Asked, Json, no, yes
from tests.support.ways.clients import Client, Http
from tests.support.ways.context import told
from tests.support.ways.expect import DENIED, Call, Expect, payment, receipt, said, step
from tests.support.ways.reply import Reply, normal

ALICE, BOB = payment(1, 30, "Alice"), payment(2, 40, "Bob")
VERDICTS = list(product([True, False], repeat=2))
TOGETHER = [variant for variant in VARIANTS if variant.asks_together]


def test_approved(client: Client) -> None:
    expect, pay = Expect.of(client), payment(1, 50, "Hanako")
    asked = client.say("Send $50 to Hanako")
    assert client.chat.paid() == []
    done = client.answer(asked, yes(asked.asking()))
    assert normal(asked, done) == [
        expect.new(*expect.asked(pay), reason="tool-calls"),
        expect.more(
            *expect.decided((pay, True)),
            expect.output(pay, receipt(pay, 950)),
            *step(*said("I sent 50 USD to Hanako (balance 950).")),
        ),
    ]
    assert client.chat.paid() == [("Hanako", 50)]
    assert told(client, "process_payment") == [receipt(pay, 950)]


def test_denied_with_a_reason(client: Client) -> None:
    expect, pay = Expect.of(client), payment(1, 50, "Hanako")
    asked = client.say("Send $50 to Hanako")
    done = client.answer(asked, no(asked.asking(), "too much"))
    assert normal(asked, done) == [
        expect.new(*expect.asked(pay), reason="tool-calls"),
        expect.more(
            *expect.decided((pay, False)),
            *expect.denied(pay),
            *step(*said("The payment of 50 USD to Hanako was denied (too much).")),
        ),
    ]
    assert client.chat.paid() == []
    assert told(client, "process_payment") == [
        {"error": DENIED, "outcome": "denied", "reason": "too much"}
    ]


def test_the_wallet_refuses_before_anybody_is_asked(client: Client) -> None:
    expect = Expect.of(client)
    done = client.say('/call process_payment {"amount": -5, "recipient": "Bob"}')
    refused = "The amount must be finite and more than zero."
    call = Call(1, "process_payment", {"amount": -5, "recipient": "Bob"})
    assert normal(done) == [
        expect.new(
            *step(expect.available(call), *expect.error(call, refused)),
            *step(*said(f"The payment of -5 USD to Bob failed ({refused.rstrip('.')}).")),
        )
    ]
    assert client.chat.paid() == []


class Two:
    """Alice and Bob, what became of each, and who was paid first: tools run side by side."""

    def __init__(self, client: Client, verdicts: tuple[bool, bool]) -> None:
        self.expect = Expect.of(client)
        self.verdicts = verdicts
        approved = [call for call, yes in zip((ALICE, BOB), verdicts, strict=True) if yes]
        amounts = {call.input["recipient"]: call.input["amount"] for call in approved}
        self.paid = client.chat.paid()
        assert sorted(self.paid) == sorted(amounts.items())
        assert [("error" not in one) for one in told(client, "process_payment")] == list(verdicts)

    def end(self, call: Call) -> list[Json]:
        if not self._yes(call):
            return self.expect.denied(call)
        return [self.expect.output(call, receipt(call, self._balance(call)))]

    def decided(self, call: Call) -> list[Json]:
        return self.expect.decided((call, self._yes(call)))

    def words(self) -> list[Json]:
        first, second = self._sentence(ALICE), self._sentence(BOB)
        joined = second if second.startswith("I ") else "t" + second[1:]
        return step(*said(f"{first}, and {joined}."))

    def _sentence(self, call: Call) -> str:
        what = f"{call.input['amount']} USD to {call.input['recipient']}"
        if not self._yes(call):
            return f"The payment of {what} was denied"
        return f"I sent {what} (balance {self._balance(call)})"

    def _yes(self, call: Call) -> bool:
        return self.verdicts[call.number - 1]

    def _balance(self, call: Call) -> int:
        place = [recipient for recipient, _ in self.paid].index(call.input["recipient"])
        return 1000 - int(sum(amount for _, amount in self.paid[: place + 1]))


def answer(asked: Asked, verdict: bool) -> Answer:
    return yes(asked) if verdict else no(asked)


def ends_in_call_order(chunks: list[Json]) -> list[Json]:
    """Results that come in one turn come as the tools are done."""
    ends = [chunk for chunk in chunks if _ended_call(chunk) in ("c1", "c2")]
    ordered = iter(sorted(ends, key=_ended_call))
    return [next(ordered) if chunk in ends else chunk for chunk in chunks]


def _ended_call(chunk: Json) -> str:
    """The call that a chunk ends, or whose code it is; empty if there is none."""
    if chunk["type"] == "data-approval" and "outcome" in chunk["data"]:
        return chunk["data"]["toolCallId"]
    return chunk["toolCallId"] if chunk["type"].startswith("tool-output-") else ""


@pytest.mark.parametrize("verdicts", VERDICTS)
def test_two_payments_answered_as_they_are_asked(
    client: Client, variant: Variant, verdicts: tuple[bool, bool]
) -> None:
    """Together where they are asked together; a sequential model asks one after the other."""
    replies, left = [client.say("Pay Alice $30 and Bob $40")], list(verdicts)
    while (asked := replies[-1].asked()) and left:
        answers = [answer(one, left.pop(0)) for one in asked]
        replies.append(client.answer(replies[0], *answers))
    two, expect = Two(client, verdicts), Expect.of(client)
    alice, bob = two.end(ALICE), two.end(BOB)
    together = [
        expect.new(*expect.asked(ALICE, BOB), reason="tool-calls"),
        expect.more(*two.decided(ALICE), *two.decided(BOB), *alice, *bob, *two.words()),
    ]
    one_by_one = [
        expect.new(*expect.asked(ALICE), reason="tool-calls"),
        expect.more(*two.decided(ALICE), *alice, *expect.asked(BOB), reason="tool-calls"),
        expect.more(*two.decided(BOB), *bob, *two.words()),
    ]
    seen = [ends_in_call_order(chunks) for chunks in normal(*replies)]
    assert seen == (together if variant.asks_together else one_by_one)


@pytest.mark.parametrize("variant", TOGETHER, indirect=True, ids=str)
@pytest.mark.parametrize("verdicts", VERDICTS)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "last first"])
def test_two_payments_answered_one_after_the_other(
    client: Client, verdicts: tuple[bool, bool], order: tuple[int, int]
) -> None:
    """The model is called once all answers are there, not before."""
    replies = [client.say("Pay Alice $30 and Bob $40")]
    asked = replies[0].asked()
    replies += [client.answer(replies[0], answer(asked[n], verdicts[n])) for n in order]
    two, expect = Two(client, verdicts), Expect.of(client)
    first, second = ((ALICE, BOB)[n] for n in order)
    assert normal(*replies) == [
        expect.new(*expect.asked(ALICE, BOB), reason="tool-calls"),
        expect.more(*two.decided(first), *two.end(first), reason="tool-calls"),
        expect.more(*two.decided(second), *two.end(second), *two.words()),
    ]


def test_two_payments_one_after_the_other_by_the_model(client: Client) -> None:
    expect = Expect.of(client)
    asked = client.say(
        '/call process_payment {"amount": 30, "recipient": "Alice", "currency": "USD"}\n/then\n'
        '/call process_payment {"amount": 40, "recipient": "Bob", "currency": "USD"}'
    )
    again = client.answer(asked, yes(asked.asking()))
    done = client.answer(asked, yes(again.asking()))
    assert normal(asked, again, done) == [
        expect.new(*expect.asked(ALICE), reason="tool-calls"),
        expect.more(
            *expect.decided((ALICE, True)),
            expect.output(ALICE, receipt(ALICE, 970)),
            *expect.asked(BOB),
            reason="tool-calls",
        ),
        expect.more(
            *expect.decided((BOB, True)),
            expect.output(BOB, receipt(BOB, 930)),
            *Two(client, (True, True)).words(),
        ),
    ]
    assert client.chat.paid() == [("Alice", 30), ("Bob", 40)]


def test_the_same_answer_again_changes_nothing(client: Client) -> None:
    """It gets what the first one got, as far as it is known."""
    asked = client.say("Send $50 to Hanako")
    answer = yes(asked.asking())
    done = client.answer(asked, answer)
    again = client.answer(asked, answer)
    assert normal(asked, again) == normal(asked, done)
    assert client.chat.paid() == [("Hanako", 50)]


def test_a_second_thought_is_refused(client: Client) -> None:
    asked = client.say("Send $50 to Hanako")
    client.answer(asked, yes(asked.asking()))
    assert client.answer(asked, no(asked.asking())) == Reply(refused="conflict")
    assert client.chat.paid() == [("Hanako", 50)]


def test_a_message_while_a_payment_is_pending_cancels_it(client: Client) -> None:
    expect, pay = Expect.of(client), payment(1, 50, "Hanako")
    asked = client.say("Send $50 to Hanako")
    hello = client.say("Hello")
    assert client.answer(asked, yes(asked.asking())) == Reply(refused="conflict")
    assert normal(asked, hello) == [
        expect.new(*expect.asked(pay), reason="tool-calls"),
        expect.new(*step(*said("Hello! What can I do for you?")), message=2),
    ]
    assert client.chat.paid() == []
    cancelled = "The call was cancelled: the user went on without answering. It did not run."
    # From here in a request: a live model that waits for its call is not told before.
    with closing(Http(client.chat)) as other:
        assert told(other, "process_payment") == [{"error": cancelled, "outcome": "cancelled"}]
