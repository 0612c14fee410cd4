"""`adk-stream record`: serves an agent on a real model and writes a chat with it into a file."""

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from starlette.types import ASGIApp

from adk_stream_protocol.cli.checks import check
from adk_stream_protocol.cli.guarded import SERVER
from adk_stream_protocol.cli.listening import address_of, listen
from adk_stream_protocol.cli.settings import (
    PORT,
    add_app,
    has_model_key,
    load_source,
    model_service,
    uses_vertex,
    whole_number,
)
from adk_stream_protocol.demo.app import DemoSettings, build_app
from adk_stream_protocol.demo.cannot_start import CannotStart
from adk_stream_protocol.recording.player.app import app_of
from adk_stream_protocol.recording.recorder.client_tap import ClientTap
from adk_stream_protocol.recording.recorder.model_tap import ModelTap
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.stand_in.environment import BASE_URL, leading_to, trusted_file
from adk_stream_protocol.recording.stand_in.local_server import LocalServer
from adk_stream_protocol.recording.tapes.tape import RecordingOptions

Settings = Callable[[argparse.Namespace], DemoSettings]


def add_record(parser: argparse.ArgumentParser, settings_of: Settings) -> None:
    """The arguments of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a new file, for one chat")
    add_app(parser)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=PORT, default=8000)
    parser.add_argument("--state", type=Path, help="the demo's folder; a new one without it")
    parser.add_argument("--model", help="the demo's model, such as gemini-2.5-flash")
    parser.add_argument("--live-model", help="the demo's live model")
    parser.add_argument("--upstream", help=f"the model's service; ${BASE_URL} or Google's")
    parser.add_argument("--turns", type=whole_number(1, 1_000_000), help="stop after so many")
    parser.add_argument("--about", default="A recorded chat.", help="a sentence for the file")
    parser.add_argument(
        "--redact",
        action="append",
        default=[],
        type=_pattern,
        metavar="PATTERN",
        help="take out all that matches; may be given more than once",
    )
    parser.add_argument(
        "--varies",
        action="append",
        default=[],
        metavar="FIELD",
        help="a field whose value is new in every run; may be given more than once",
    )

    def run(arguments: argparse.Namespace) -> None:
        with TemporaryDirectory() as folder:
            arguments.state = arguments.state or Path(folder) / "state"
            sys.exit(_record(arguments, settings_of(arguments), Path(folder)))

    parser.set_defaults(run=run)


def _pattern(text: str) -> str:
    try:
        return re.compile(text).pattern
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid pattern: {error}") from None


def _record(arguments: argparse.Namespace, settings: DemoSettings, folder: Path) -> int:
    _check(arguments)
    if not arguments.app:
        check(settings)
    recorder = Recorder(
        arguments.file,
        lambda line: print(line, flush=True),
        redact=arguments.redact,
        options=_options(arguments, settings),
    )
    with _tapped_model(recorder, arguments.upstream, folder):
        app = app_of(load_source(arguments.app)) if arguments.app else build_app(settings)
        _serve(ClientTap(app, recorder), recorder, arguments)
    if not recorder.turns:
        print("Nothing was recorded: no request reached the model through this command.")
        return 1
    print(f"{recorder.turns} turn{'s' * (recorder.turns > 1)} in {arguments.file}")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Say at once what cannot be recorded."""
    if arguments.file.exists():
        raise CannotStart(
            f"{arguments.file} exists; a recording does not replace a file, so name another one"
        )
    if not os.access(arguments.file.parent, os.W_OK | os.X_OK):
        raise CannotStart(
            f"{arguments.file.parent} is not a folder that you can write to; make or name one"
        )
    if not arguments.app and not (arguments.model or arguments.live_model):
        raise CannotStart(
            "the scripted model has no wire to record; name a model, such as "
            "--model gemini-2.5-flash, or an app of yours with --app"
        )
    if arguments.app and (arguments.model or arguments.live_model):
        raise CannotStart("--model and --live-model are for the demo; an app has its own models")
    if uses_vertex():
        raise CannotStart(
            "only the Gemini API is recorded, not Vertex AI; unset GOOGLE_GENAI_USE_VERTEXAI"
        )
    if not arguments.app and not has_model_key():
        raise CannotStart("the model needs GOOGLE_API_KEY in the environment; set it")


def _options(arguments: argparse.Namespace, settings: DemoSettings) -> RecordingOptions:
    varies = {field: _name(field) for field in arguments.varies}
    if arguments.app:
        return RecordingOptions(arguments.about, varies)
    return RecordingOptions(arguments.about, varies, settings.approval_ttl, settings.live_calls)


def _name(field: str) -> str:
    """What the values of a field are called in the file."""
    return re.sub("[^a-z]", "", field.lower()) or "value"


@contextmanager
def _tapped_model(recorder: Recorder, upstream: str | None, folder: Path) -> Generator[None]:
    service = upstream or model_service()
    server = LocalServer(ModelTap(recorder, service, trusted_file()).app, folder)
    server.start()
    try:
        with leading_to(server.url, server.certificate):
            yield
    finally:
        server.stop()


def _serve(app: ASGIApp, recorder: Recorder, arguments: argparse.Namespace) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        **SERVER,
    )
    sockets = listen(arguments.host, arguments.port)
    # uvicorn raises the signal that stopped it once more; the file is to be reported on first.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, frame: None)
    print(f"adk-stream record on {address_of(arguments.host, sockets)}", flush=True)
    _RecordingServer(config, recorder, arguments.turns).run(sockets)


class _RecordingServer(uvicorn.Server):
    """Stops by itself when the file has the turns that were asked for."""

    def __init__(self, config: uvicorn.Config, recorder: Recorder, turns: int | None) -> None:
        super().__init__(config)
        self._recorder = recorder
        self._turns = turns

    async def on_tick(self, counter: int) -> bool:
        enough = self._turns is not None and self._recorder.turns >= self._turns
        return enough or await super().on_tick(counter)
