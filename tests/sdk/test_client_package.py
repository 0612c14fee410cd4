"""Our own `WebSocketChatTransport`, as it is published, with both majors and the real server."""

import subprocess
from pathlib import Path

import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.answers import no, output, yes
from tests.support.sdk.judge import FOLDER
from tests.support.sdk.page import Page
from tests.support.sdk.wires import SOCKET, Major, over

pytestmark = over(SOCKET)

PACKAGE = Path(__file__).parents[2] / "packages" / "client"
HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
GREETING = "Hello! What can I do for you?"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[Major, str]:
    """The built package, once beside each major of its peer."""
    compiler = PACKAGE / "node_modules" / ".bin" / "tsc"
    assert compiler.exists(), "run `npm --prefix packages/client ci` first"
    entries: dict[Major, str] = {}
    for major in ("ai6", "ai7"):
        folder = tmp_path_factory.mktemp(f"client-{major}")
        project = PACKAGE / "tsconfig.build.json"
        subprocess.run([compiler, "-p", project, "--outDir", folder / "dist"], check=True)
        (folder / "package.json").write_text('{"type":"module"}')
        (folder / "node_modules").mkdir()
        (folder / "node_modules" / "ai").symlink_to(FOLDER / "node_modules" / major)
        entries[major] = (folder / "dist" / "index.js").as_uri()
    return entries


@pytest.fixture
def page(open_page: OpenPage, built: dict[Major, str], major: Major) -> Page:
    return open_page(transport="client", client=built[major])


def test_a_payment(page: Page) -> None:
    page.say("Send $50 to Hanako")
    assert page.states("process_payment") == ["approval-requested"]
    page.approve()
    assert page.text == "I sent 50 USD to Hanako (balance 950)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_two_payments_one_denied(page: Page) -> None:
    page.say("Pay Alice $30 and Bob $40")
    for _ in page.settle(no("process_payment", 0), yes("process_payment", 1)):
        assert page.text == ""
    assert page.states("process_payment") == ["output-denied", "output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()


def test_a_location(page: Page) -> None:
    page.say("Where am I?")
    for _ in page.settle(yes("get_location"), output("get_location", HERE)):
        assert page.text == ""
    assert page.text == "You are at latitude 35.68, longitude 139.77."
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)


def test_a_stopped_answer(page: Page) -> None:
    page.begin("/say 3\n/hang 600", until="1 2 3 ")
    page.stop()
    assert (page.status, page.error, page.aborts) == ("ready", None, 1)
    assert page.last_post["outcome"] == "done"
    page.say("Hello")
    assert (page.status, page.error, page.text) == ("ready", None, GREETING)


def test_a_lost_connection(page: Page) -> None:
    page.resume()
    assert (page.last_resume["outcome"], page.status) == ("none", "ready")
    page.begin("/say 3\n/hang 2\n/say 2", until="1 2 3 ")
    page.leave()
    page.resume()
    assert (page.status, page.error, page.text) == ("ready", None, "1 2 3 1 2 ")
    assert len(page.answers) == 1
