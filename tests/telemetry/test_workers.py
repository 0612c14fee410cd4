"""What workers have to do with each other: one line each, on the worker that asks or follows."""

import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.support.clients.http import Json, RawChat, decision
from tests.support.clients.sync_socket import SyncSocketChat
from tests.support.databases.redis import RedisServer
from tests.support.servers.logged import LoggedDemo, lines_of

pytestmark = pytest.mark.processes

SECONDS = 60.0
FOLLOWED, ANSWERED = "turn of another worker followed", "another worker answered"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoggedDemo, LoggedDemo]]:
    """Two workers of one application."""
    folder = tmp_path_factory.mktemp("pair")
    redis = RedisServer(folder).start()
    settings = {"ADK_STREAM_REDIS_URL": redis.url, "ADK_STREAM_LOG_FORMAT": "json"}
    one, two = (LoggedDemo(folder, **settings).start() for _ in range(2))
    yield one, two
    one.stop()
    two.stop()
    redis.kill()


def told(server: LoggedDemo, chat: RawChat) -> list[Json]:
    """The lines of a chat, without what every line has."""
    common = ("time", "level", "logger")
    lines = [line for line in lines_of(server) if line.get("chat_id") == chat.id]
    assert {line["logger"] for line in lines} == {"adk_stream_protocol.events"}
    return [{name: line[name] for name in line if name not in common} for line in lines]


def test_a_turn_that_is_followed_and_stopped_from_elsewhere(
    pair: tuple[LoggedDemo, LoggedDemo],
) -> None:
    one, two = pair
    chat = RawChat(one.url, "alice")
    talking = threading.Thread(target=chat.say, args=("/say 3\n/hang 600",))
    talking.start()
    headers = {"authorization": "Bearer alice"}
    with httpx.Client(base_url=two.url, headers=headers, verify=False, timeout=SECONDS) as client:
        follow(client, chat)
        assert client.post(f"/api/chat/{chat.id}/stop").json() == {"stopped": True}
    talking.join(SECONDS)
    assert told(two, chat) == [
        {"message": FOLLOWED, "chat_id": chat.id},
        {"message": ANSWERED, "chat_id": chat.id, "asked": "stop"},
    ]
    assert [line["message"] for line in told(one, chat)] == ["turn started", "turn ended"]


def follow(client: httpx.Client, chat: RawChat) -> None:
    """Read the beginning of a turn, once there is one."""
    deadline = time.monotonic() + SECONDS
    while True:
        with client.stream("GET", f"/api/chat/{chat.id}/stream") as stream:
            if stream.status_code == 200:
                assert next(stream.iter_lines())
                return
        assert stream.status_code == 204 and time.monotonic() < deadline
        time.sleep(0.05)


def test_an_answer_that_a_live_run_elsewhere_takes(pair: tuple[LoggedDemo, LoggedDemo]) -> None:
    one, two = pair
    chat = RawChat(two.url, "alice")
    with SyncSocketChat.connect(one.url, chat.id, "alice") as socket:
        reply = socket.say('/call process_payment {"amount": 86.43, "recipient": "Quorra"}')
        assert chat.answer(decision(reply.approvals[0], True, reason="plum season")).said
    assert told(two, chat) == [
        {"message": ANSWERED, "chat_id": chat.id, "asked": "answers"},
        {"message": FOLLOWED, "chat_id": chat.id},
    ]
    assert "approval done" in [line["message"] for line in told(one, chat)]
    logs = one.log_file.read_text() + two.log_file.read_text()
    assert not [text for text in ("86.43", "Quorra", "plum", "alice") if text in logs]
