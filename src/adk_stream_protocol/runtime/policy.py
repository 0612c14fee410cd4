"""What the developer says about approvals, and the chat that a gated call belongs to."""

from dataclasses import dataclass
from typing import Literal

from adk_stream_protocol.approvals.record import ApprovalRecord


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """What the developer says about approving one tool."""

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


@dataclass(frozen=True, slots=True)
class Place:
    """The chat that a gated call belongs to."""

    app: str
    principal: str
    session: str

    @classmethod
    def of(cls, record: ApprovalRecord) -> "Place":
        """The chat that a record is of."""
        return cls(record.app, record.principal, record.session)
