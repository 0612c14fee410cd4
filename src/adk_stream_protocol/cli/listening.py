"""The sockets that the command listens on."""

import errno
import socket

from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of

BACKLOG = 2048
_PASSIVE = {"type": socket.SOCK_STREAM, "flags": socket.AI_PASSIVE}


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen on every address of a host; on port 0, on one that is free."""
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in socket.getaddrinfo(host, port, **_PASSIVE):
            # The second address of a host gets the port that was found for the first.
            place = (address[0], port or (_port(sockets) if sockets else 0), *address[2:])
            sockets.append(socket.create_server(place, family=family, backlog=BACKLOG))
    except OSError as error:
        for each in sockets:
            each.close()
        raise CannotStart(_reason(error, host, port)) from None
    return sockets


def address_of(host: str, sockets: list[socket.socket]) -> str:
    """Return the address of the page."""
    return f"http://{f'[{host}]' if ':' in host else host}:{_port(sockets)}"


def _port(sockets: list[socket.socket]) -> int:
    return sockets[0].getsockname()[1]


def _reason(error: OSError, host: str, port: int) -> str:
    match error:
        case socket.gaierror():
            return f"--host {host} is not a name or address of this machine; 127.0.0.1 always is"
        case OSError(errno=errno.EADDRINUSE):
            return f"port {port} of {host} is in use; name another one with --port, or 0 for any"
        case OSError(errno=errno.EADDRNOTAVAIL):
            return f"--host {host} is not an address of this machine; 127.0.0.1 always is"
        case PermissionError():
            return f"port {port} is not for this user; name one above 1023 with --port"
        case _:
            return f"nothing can listen on {host}:{port} ({reason_of(error)}); name others"
