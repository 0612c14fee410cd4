"""How the command ends when it cannot start: with one sentence, and the exit code 2."""

import argparse
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

from adk_stream_protocol.demo.cannot_start import CannotStart


@contextmanager
def in_plain_words() -> Generator[None]:
    """Print the sentence of a `CannotStart` and exit, instead of a traceback."""
    try:
        yield
    except CannotStart as error:
        print(f"adk-stream: {error}.", file=sys.stderr)
        raise SystemExit(2) from None


class Parser(argparse.ArgumentParser):
    """Says what is wrong with an argument in one line, without the usage of all others."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; {self.prog} --help says more.", file=sys.stderr)
        raise SystemExit(2)
