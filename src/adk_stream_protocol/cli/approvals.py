"""`adk-stream approvals`: who was asked what, who decided, what came of it."""

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial

from adk_stream_protocol.approvals.look_alikes import mark_look_alikes
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.visible_text import visible
from adk_stream_protocol.cli.settings import whole_number
from adk_stream_protocol.errors import StreamProtocolError

Command = Callable[[SqlApprovalStore, argparse.Namespace], Awaitable[int]]


def add_commands(
    parser: argparse.ArgumentParser,
    common: argparse.ArgumentParser,
    url_of: Callable[[argparse.Namespace], str],
) -> None:
    """Add list, show and export."""
    commands = parser.add_subparsers(required=True, metavar="command")
    add = partial(commands.add_parser, parents=[common])
    listing = add("list", help="the newest records, as a table")
    listing.add_argument("--only", choices=[state.value for state in State], metavar="STATE")
    listing.add_argument("--limit", type=whole_number(1, 1_000_000), default=50)
    listing.set_defaults(command=_list)
    showing = add("show", help="one record and its trail")
    showing.add_argument("id")
    showing.set_defaults(command=_show)
    export = add("export", help="the whole audit trail, as JSON lines")
    export.set_defaults(command=_export)

    def run(arguments: argparse.Namespace) -> None:
        sys.exit(_run(arguments, url_of(arguments)))

    parser.set_defaults(run=run)


def _run(arguments: argparse.Namespace, url: str) -> int:
    async def run() -> int:
        store = SqlApprovalStore(url)
        try:
            command: Command = arguments.command
            return await command(store, arguments)
        except StreamProtocolError as error:
            print(error.text, file=sys.stderr)
            return 1
        finally:
            await store.close()

    return asyncio.run(run())


async def _list(store: SqlApprovalStore, arguments: argparse.Namespace) -> int:
    records = await store.listed(arguments.only, arguments.limit)
    rows = [("CREATED", "STATE", "TOOL", "ASKED BY", "DECIDED BY", "ID")]
    rows += [_row(record) for record in reversed(records)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
    return 0


def _row(record: ApprovalRecord) -> tuple[str, ...]:
    decided_by = _shown(record.decided_by or "-")
    asked_by, tool = _shown(record.principal), _shown(record.tool)
    return (_time(record.created), record.state.value, tool, asked_by, decided_by, record.id)


async def _show(store: SqlApprovalStore, arguments: argparse.Namespace) -> int:
    record = await store.get(arguments.id)
    if record is None:
        print(f"There is no approval {arguments.id}.", file=sys.stderr)
        return 1
    for name, value in asdict(record).items():
        if value not in (None, ()):
            shown = _time(value) if name in ("created", "expires", "decided_at") else str(value)
            print(f"{name:16} {_shown(shown)}")
    print()
    for line in await store.trail(record.id):
        reason = f": {_shown(line.reason)}" if line.reason else ""
        print(f"{_time(line.at)}  {line.event:8} {line.state:10} by {_shown(line.actor)}{reason}")
    return 0


async def _export(store: SqlApprovalStore, arguments: argparse.Namespace) -> int:
    records = {record.id: record for record in await store.listed(None, None)}
    for line in await store.trail(None):
        record = records[line.approval_id]
        call = {"tool": record.tool, "asked_by": record.principal, "chat": record.session}
        entry = {**asdict(line), "at": _time(line.at), **call}
        print(json.dumps(entry, ensure_ascii=False))
    return 0


def _shown(text: str) -> str:
    return mark_look_alikes(visible(text))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
