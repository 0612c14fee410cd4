"""The published SDK on pages that meet another worker, or a server that goes down."""

from collections.abc import Generator, Sequence
from itertools import count
from pathlib import Path

import httpx
import pytest

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.fleet.fleet import Fleet
from tests.support.sdk.judge import Judge
from tests.support.sdk.page import Json, Page
from tests.support.sdk.wires import HTTP, SOCKET, Major, Wire
from tests.support.servers.command import Served

SLOW = "/say 3\n/hang 2\n/say 2"
HANGING = "/say 3\n/hang 600"
PAY = '/call process_payment {"amount": 1, "recipient": "%s"}'
WHOLE = "1 2 3 1 2 "
_numbers = count()

wires = pytest.mark.parametrize("wire", [HTTP, SOCKET], ids=str)
majors = pytest.mark.parametrize("major", ["ai6", "ai7"])


@pytest.fixture(scope="module")
def judge() -> Generator[Judge]:
    with Judge() as judge:
        yield judge


def cookie(state: Path, chat: str) -> dict[str, str]:
    return {"cookie": f"{COOKIE}={sign(f'page-{chat}', load_secret(state))}"}


def open_page(
    judge: Judge,
    url: str,
    state: Path,
    major: Major,
    wire: Wire,
    chat: str,
    messages: Sequence[Json] = (),
) -> Page:
    return Page(
        judge,
        major=major,
        transport=wire.transport(major),
        api=f"{url}/api/chat",
        live=f"{url.replace('http', 'ws')}/live",
        id=chat,
        headers=cookie(state, chat),
        helpers="both",
        messages=list(messages),
    )


@wires
@majors
def test_a_page_that_is_reloaded_reads_and_decides_on_another_worker(
    judge: Judge, whole_fleet: Fleet, major: Major, wire: Wire
) -> None:
    chat, state = f"reloaded-{next(_numbers)}", whole_fleet.state
    urls = whole_fleet.urls
    first = open_page(judge, urls[0], state, major, wire, chat)
    first.begin(SLOW, until="1 2 3 ")
    first.leave()
    second = open_page(judge, urls[1], state, major, wire, chat)
    second.resume()
    assert (second.status, second.error, second.text) == ("ready", None, WHOLE)
    assert [one["id"] for one in second.answers] == [first.answers[0]["id"]]
    second.say(PAY % chat)
    second.leave()
    assert second.states("process_payment") == ["approval-requested"]
    shown = httpx.get(f"{urls[3]}/api/chat/{chat}/messages", headers=cookie(state, chat)).json()
    third = open_page(judge, urls[2], state, major, wire, chat, shown)
    third.resume()
    assert third.last_resume["outcome"] == "none", "an approval waits, and nothing runs"
    third.approve()
    assert third.states("process_payment") == ["output-available"]
    assert (third.status, third.error) == ("ready", None)
    assert whole_fleet.paid_to().count(chat) == 1
    third.close()


def test_a_server_that_drains_leaves_every_page_at_rest(judge: Judge, tmp_path: Path) -> None:
    served = Served("one", tmp_path / "state")
    served.start()
    ways: list[tuple[Major, Wire]] = [
        (major, wire) for major in ("ai6", "ai7") for wire in (HTTP, SOCKET)
    ]
    pages = [
        open_page(judge, served.url, served.state, major, wire, f"drained-{next(_numbers)}")
        for major, wire in ways
    ]
    try:
        for page in pages:
            page.begin(HANGING, until="1 2 3 ")
        served.terminate()
        served.wait()
        for page in pages:
            page.rest()
            assert (page.status, page.error, page.text) == ("ready", None, "1 2 3 ")
    finally:
        served.kill()
        for page in pages:
            page.leave()
