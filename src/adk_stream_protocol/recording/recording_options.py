"""What a recording says beside what happened, and why one may have to end."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class RecordingOptions:
    """What a file says beside what happened."""

    about: str = ""
    varies: dict[str, str] = field(default_factory=dict[str, str])
    approval_ttl: float = 600
    calls: Literal["sequential", "parallel"] = "sequential"


class CannotRecord(Exception):
    """Something happened that a file cannot say."""
