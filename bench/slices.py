"""Ratios on a noisy machine: every slice of a subject lies between two slices of the floor."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TypeVar

T = TypeVar("T")
FEWEST = 3
BUDGET = 180.0


@dataclass(frozen=True)
class Spread:
    """The median of several ratios and their quartiles."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Summarise the ratios of all rounds."""
        values = list(values)
        low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
        return cls(median(values), low, high)

    def inverse(self) -> "Spread":
        """Return the spread of 1/x: how many times faster, from how many times the cost."""
        return Spread(1 / self.middle, 1 / self.high, 1 / self.low)

    def __str__(self) -> str:
        return f"{self.middle:.2f}  ({self.low:.2f} to {self.high:.2f})"


def aba(
    floor: Callable[[], T], subjects: dict[str, Callable[[], T]], rounds: int
) -> dict[str, list[tuple[T, T, T]]]:
    """Measure floor, subject, floor, ...; return each subject's slices with both neighbours.

    On a slow or busy machine there are fewer rounds, so that the whole run stays bearable.
    """
    found: dict[str, list[tuple[T, T, T]]] = {name: [] for name in subjects}
    deadline = time.monotonic() + BUDGET
    for done in range(rounds):
        if done >= FEWEST and time.monotonic() > deadline:
            break
        before = floor()
        for name, subject in subjects.items():
            measured = subject()
            after = floor()
            found[name].append((before, measured, after))
            before = after
    return found


def ratio(slices: list[tuple[float, float, float]]) -> Spread:
    """Return the subject's cost over the mean of the two floor slices around it."""
    return Spread.of(2 * measured / (before + after) for before, measured, after in slices)
