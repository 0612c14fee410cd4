"""Who started a call, and whether that process is still there."""

import os
import socket
import subprocess
import sys

import pytest

from adk_stream_protocol import process_id
from adk_stream_protocol.process_id import is_gone, is_of_this_host, this_process

HOST = socket.gethostname()


def test_this_process_is_here() -> None:
    assert this_process() == this_process()
    assert is_of_this_host(this_process()) and not is_gone(this_process())


def test_a_process_of_the_same_number_that_began_at_another_time_is_another() -> None:
    assert is_gone(f"{HOST}:{os.getpid()}:1")


def test_of_another_host_nothing_is_certain() -> None:
    other = "elsewhere.example:1:2"
    assert not is_of_this_host(other) and not is_gone(other)


def test_nobody_is_gone_and_of_no_host() -> None:
    assert is_gone(None) and not is_of_this_host(None)


def test_a_name_that_is_none_of_ours_is_left_alone() -> None:
    assert not is_gone(f"{HOST}:not-a-number:1")


@pytest.mark.processes
def test_a_process_that_has_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        name = f"{HOST}:{child.pid}:{process_id._started(child.pid)}"  # pyright: ignore[reportPrivateUsage]
        assert not is_gone(name)
    assert is_gone(name)
