"""ApprovalPolicy: what the developer says about approving a tool."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """A developer's rules for approving one tool."""

    tool: str
    steps: tuple[str, ...] = ()
    """Roles that must agree, in order; without any, the person who asks decides."""
    title: str | None = None
    hint: str | None = None
    risk: Literal["low", "medium", "high"] = "medium"
    icon: str | None = None
    color: str | None = None
    ttl: float | None = None
    idempotent: bool = False
    """Whether the tool may be started again under the same key after an unknown outcome."""
