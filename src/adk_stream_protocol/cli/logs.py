"""How the `adk-stream` command logs: one line per event, with its fields.

What an exception says may hold arguments, texts or addresses with a key in them: unless the level
is `debug`, a line names its type and where it came from, and no more.
"""

import json
import logging
import traceback
from datetime import UTC, datetime

from adk_stream_protocol.failure_log import place_of, types_of

OWN = "adk_stream_protocol"
_STANDARD = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "color_message"}


class Lines(logging.Formatter):
    """Reads what a record says: its fields are the `extra` of whoever wrote it."""

    def __init__(self, *, with_texts: bool) -> None:
        super().__init__()
        self._with_texts = with_texts

    def fields(self, record: logging.LogRecord) -> dict[str, object]:
        """What is said besides the message."""
        fields = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info and record.exc_info[1]:
            fields |= self._failure(record.exc_info[1])
        return fields

    def _failure(self, error: BaseException) -> dict[str, object]:
        if self._with_texts:
            return {"exception": "".join(traceback.format_exception(error))}
        return {"exception": " < ".join(types_of(error)), "at": place_of(error.__traceback__)}


class JsonLines(Lines):
    """A JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **self.fields(record),
        }
        return _on_one_line(json.dumps(line, ensure_ascii=False, default=str))


class TextLines(Lines):
    """`LEVEL logger: message name=value …`, as logfmt writes values."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage()
        fields = "".join(f" {name}={_word(value)}" for name, value in self.fields(record).items())
        return _on_one_line(f"{record.levelname} {record.name}: {said}{fields}")


FORMATS: dict[str, type[Lines]] = {"text": TextLines, "json": JsonLines}


def log_lines(level: str, form: str) -> None:
    """Log to standard error. On `info` only this package is heard.

    Other libraries log what they handle on that level: whole events, addresses with their query.
    """
    debugging = level.lower() == "debug"
    handler = logging.StreamHandler()
    handler.setFormatter(FORMATS[form](with_texts=debugging))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger(None if debugging else OWN).setLevel(level.upper())


def _word(value: object) -> str:
    text = str(value)
    is_plain = text and not any(one in text for one in ' "=\\') and text.isprintable()
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _on_one_line(text: str) -> str:
    """Escape, as JSON does, whatever would end a line, hide itself or turn the text around."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
