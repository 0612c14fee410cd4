"""The demo server with the routes of history: `python -m` this module `PORT STATE`."""

import sys
from pathlib import Path

import uvicorn
from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette
from starlette.routing import Route

from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.chats.archive import ChatArchive
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.app import DemoSettings, build_app
from adk_stream_protocol.demo.identity import demo_identify, load_secret
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.transports.admission import Admission
from adk_stream_protocol.transports.history import messages_endpoint


class Nothing:
    """No turn runs while a page is loaded here."""

    async def message_in_the_making(self, user_id: str, chat_id: str) -> str | None:
        return None

    def is_running(self, record: ApprovalRecord) -> bool:
        return False

    async def end(self, user_id: str, chat_id: str) -> None:
        raise AssertionError("nothing is deleted here")


def with_history(settings: DemoSettings) -> Starlette:
    app = build_app(settings)
    chat: Chats = app.state.chats
    runner = build_runner(
        build_agent(wallet=Wallet(settings.state)),
        DatabaseSessionService(settings.sessions_url),
        chat.book,
    )
    stored = ChatArchive(runner, chat.book, Nothing())
    admission = Admission(demo_identify((), load_secret(settings.state)))
    path = "/api/chat/{chat_id:path}/messages"
    app.router.routes.append(Route(path, messages_endpoint(stored, admission), methods=["GET"]))
    return app


if __name__ == "__main__":
    port, state = sys.argv[1:]
    uvicorn.run(with_history(DemoSettings(Path(state))), port=int(port), log_level="error")
