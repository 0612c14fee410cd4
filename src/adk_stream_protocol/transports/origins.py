"""Where a request comes from and where it goes: hosts and origins, compared as a browser does."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from adk_stream_protocol.errors import ForbiddenHost, ForbiddenOrigin

_PORTS = {"http": 80, "https": 443}
_SCHEMES = {"ws": "http", "wss": "https"}
_NAME = r"(?P<name>[a-z0-9_]([a-z0-9_.-]{0,252})|\[[0-9a-f:.]{2,45}\])"
_HOST = re.compile(rf"{_NAME}(:(?P<port>[0-9]{{1,5}}))?")
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_NAME}(:(?P<port>[0-9]{{1,5}}))?")
_UNKNOWN_HOST = (
    "This server does not answer to that name. Its operator can add it to allowed_hosts."
)

Origin = tuple[str, str, int]
"""Scheme, host and port."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Which pages may send requests, and to which names of this server."""

    allowed: frozenset[Origin]
    hosts: frozenset[str] | None
    """Names without ports; `*.example.org` stands for all below it. None: every name."""

    @classmethod
    def of(cls, allowed_origins: Iterable[str], allowed_hosts: Iterable[str] | None) -> "Origins":
        """Read what an application allows, or raise ValueError."""
        hosts = None if allowed_hosts is None else frozenset(map(_checked_host, allowed_hosts))
        return cls(frozenset(map(_checked_origin, allowed_origins)), hosts)

    def check(self, connection: HTTPConnection) -> None:
        """Raise ForbiddenHost or ForbiddenOrigin, unless the request may go on."""
        here = _here(connection)
        if self.hosts is not None and not (here and self._is_ours(here[1])):
            raise ForbiddenHost(_UNKNOWN_HOST)
        origins = connection.headers.getlist("origin")
        if not origins:
            return
        origin = _origin(origins[0]) if len(origins) == 1 else None
        if origin is None or not (origin == here or origin in self.allowed):
            raise ForbiddenOrigin("This page is not allowed to use this server.")

    def _is_ours(self, host: str) -> bool:
        assert self.hosts is not None
        if host in self.hosts or "*" in self.hosts:
            return True
        return any(name[0] == "*" and host.endswith(name[1:]) for name in self.hosts)


def _here(connection: HTTPConnection) -> Origin | None:
    """Return the origin that the request was sent to."""
    hosts = connection.headers.getlist("host")
    found = _HOST.fullmatch(hosts[0].lower()) if len(hosts) == 1 else None
    scheme: str = connection.scope.get("scheme", "http")
    scheme = _SCHEMES.get(scheme, scheme)
    return found and (scheme, found["name"].rstrip("."), int(found["port"] or _PORTS[scheme]))


def _origin(text: str) -> Origin | None:
    found = _ORIGIN.fullmatch(text)
    return found and (
        found["scheme"],
        found["name"],
        int(found["port"] or _PORTS[found["scheme"]]),
    )


def _checked_origin(text: str) -> Origin:
    origin = _origin(text.lower())
    if origin is None:
        raise ValueError(f"{text!r} is no origin: http or https, a host, and perhaps a port")
    return origin


def _checked_host(text: str) -> str:
    host = text.lower()
    if host != "*" and not re.fullmatch(_NAME, host.removeprefix("*.")):
        raise ValueError(f"{text!r} is no name of a host: give it without scheme and port")
    return host
