"""Lines on the terminal, and the bars: what must hold, and whether it did."""

import sys
import time
from dataclasses import dataclass, field

from bench.slices import Spread

BEGUN = time.monotonic()
# A bar is clearly missed when the better quartile misses it and the median does by more than this.
NOISE = 0.05


def progress(text: str) -> None:
    """Say on stderr what is being measured now."""
    print(f"  [{time.monotonic() - BEGUN:4.0f} s] {text}", file=sys.stderr, flush=True)


def heading(text: str) -> None:
    """Begin a table."""
    print(f"\n{text}", flush=True)


def row(name: str, *cells: object) -> None:
    """Print one line of a table."""
    print(f"  {name:<34}" + "".join(f"{cell!s:>26}" for cell in cells), flush=True)


@dataclass
class Bars:
    """The bars of a run."""

    failed: bool = False
    _lines: list[str] = field(default_factory=list)

    def at_most(self, name: str, found: Spread, limit: float, *, unit: str = "x") -> None:
        """Require a value no greater than the limit."""
        met = found.middle <= limit
        clear = found.low > limit and found.middle > limit * (1 + NOISE)
        self._add(name, found, f"<= {limit:g} {unit}", met, clear)

    def at_least(self, name: str, found: Spread, limit: float, *, busy: bool = False) -> None:
        """Require a value no less than the limit; unsure if others used the machine meanwhile."""
        met = found.middle >= limit
        clear = found.high < limit and found.middle < limit * (1 - NOISE)
        self._add(name, found, f">= {limit:g} x", met, clear and not busy, busy)

    def show(self) -> None:
        """Print every bar; a miss inside the noise does not fail the run."""
        heading("Bars")
        for line in self._lines:
            print(line)

    def _add(
        self, name: str, found: Spread, limit: str, met: bool, clear: bool, busy: bool = False
    ) -> None:
        verdict = "PASS" if met else "FAIL" if clear else "FAIL, within the noise"
        if busy:
            verdict = "UNSURE, the machine was busy with other work"
        self.failed = self.failed or clear
        self._lines.append(f"  {name:<58}{limit:>12} {found!s:>26}  {verdict}")
