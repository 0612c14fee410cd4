"""`adk-stream demo` reads no more of a chat than it is told to."""

from pathlib import Path

from tests.support.clients.http import RawChat, decision
from tests.support.servers.demo import DemoServer

PAY = '/call process_payment {"amount": 5, "recipient": "Bob"}'


def test_the_command_reads_recent_events(tmp_path: Path) -> None:
    server = DemoServer(tmp_path, ADK_STREAM_RECENT_EVENTS="4").start()
    try:
        chat = RawChat(server.url)
        chat.say("the first message")
        asked = chat.say(f"/call get_weather {{}}\n/then\n{PAY}")
        paid = chat.answer(decision(asked.approvals[0], True))
        assert paid.of_type("tool-output-available")[0]["output"]["success"] is True
        chat.say("/say 1")
        assert "the first message" not in str(chat.context())
    finally:
        server.stop()
