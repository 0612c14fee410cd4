"""The sockets of the command: every address of a host, one port, and plain words if it is taken."""

import socket

import pytest

from adk_stream_protocol.cli.listening import address_of, listen
from adk_stream_protocol.demo.cannot_start import CannotStart


def close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


def test_port_0_is_a_free_one_and_the_same_on_every_address() -> None:
    sockets = listen("localhost", 0)
    try:
        (port,) = {each.getsockname()[1] for each in sockets}
        assert address_of("localhost", sockets) == f"http://localhost:{port}"
        socket.create_connection(("localhost", port), timeout=60).close()
    finally:
        close(sockets)


def test_an_address_of_version_6_is_written_in_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6 here")
    try:
        sockets = listen("::1", 0)
    except CannotStart:
        pytest.skip("there is no IPv6 here")
    close(sockets)
    with socket.create_server(("127.0.0.1", 0)) as other:
        assert address_of("::1", [other]) == f"http://[::1]:{other.getsockname()[1]}"


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotStart, match=f"port {port} of 127.0.0.1 is in use; name another"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1"])
def test_a_host_that_is_not_here_is_refused(host: str) -> None:
    with pytest.raises(CannotStart, match=f"--host {host} is not "):
        listen(host, 0)
