"""The ways to the server that every behaviour is tried on."""

from dataclasses import dataclass
from typing import Literal

import pytest

Major = Literal["ai6", "ai7"]
Transport = Literal["http", "stock", "small", "client"]


@dataclass(frozen=True)
class Wire:
    """How a client talks to the server, and what it sees of several calls in one model turn."""

    name: str
    is_socket: bool
    live_calls: Literal["sequential", "parallel"] = "sequential"

    @property
    def calls_at_once(self) -> bool:
        """Whether calls that wait are shown together; else each one follows its predecessor."""
        return not self.is_socket or self.live_calls == "parallel"

    @property
    def tells_of_cancelled(self) -> bool:
        """Whether the model is told of a call that a new message has cancelled.

        A live model that waits for a call goes on with the message instead of a result.
        """
        return self.calls_at_once

    def transport(self, major: Major) -> Transport:
        """The transport of a page: what the SDK brings along, if it brings one."""
        if not self.is_socket:
            return "http"
        return "small" if major == "ai6" else "stock"

    def __str__(self) -> str:
        return self.name


HTTP = Wire("http", is_socket=False)
SOCKET = Wire("socket", is_socket=True)
PARALLEL_SOCKET = Wire("parallel-socket", is_socket=True, live_calls="parallel")


def over(*wires: Wire) -> pytest.MarkDecorator:
    """Run tests over these ways, instead of HTTP and the socket."""
    return pytest.mark.parametrize("wire", wires, ids=str)
