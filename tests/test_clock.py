"""A clock for deadlines: whatever is done to the computer's, it only goes forward."""

import time

from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.clock import SteadyClock, steady_clock


class Hardware:
    """The clocks of a computer."""

    def __init__(self) -> None:
        self.wall = 1_000_000.0
        self.ticks = (50.0, 70.0)

    def clock(self) -> SteadyClock:
        return SteadyClock(lambda: self.wall, lambda: self.ticks)

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.ticks = tuple(tick + seconds for tick in self.ticks)


def test_it_begins_with_the_time_and_goes_on_with_it() -> None:
    computer = Hardware()
    clock = computer.clock()
    assert clock.now() == computer.wall
    computer.pass_by(10)
    assert clock.now() == computer.wall and clock.skew == 0


def test_setting_the_clock_changes_nothing() -> None:
    computer = Hardware()
    clock = computer.clock()
    for jump in (-3_600, 7_200, -40):
        before = clock.now()
        computer.wall += jump
        computer.pass_by(1)
        assert clock.now() == before + 1
    assert clock.skew == clock.now() - computer.wall == 3_600 - 7_200 + 40


def test_it_goes_on_while_the_computer_sleeps() -> None:
    computer = Hardware()
    clock = computer.clock()
    computer.wall += 600
    computer.ticks = (50.0, 670.0)
    assert clock.now() == computer.wall


def test_what_is_stored_says_how_late_it_is_at_least() -> None:
    computer = Hardware()
    clock = computer.clock()
    clock.at_least(computer.wall - 5)
    assert clock.now() == computer.wall
    clock.at_least(computer.wall + 60)
    assert clock.now() == computer.wall + 60
    computer.pass_by(1)
    assert clock.now() == computer.wall + 60


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))))
def test_it_never_goes_back(jumps: list[tuple[float, float, float]]) -> None:
    computer = Hardware()
    clock = computer.clock()
    latest = clock.now()
    for wall, one, other in jumps:
        computer.wall += wall
        computer.ticks = (computer.ticks[0] + one, computer.ticks[1] + other)
        assert clock.now() >= latest
        latest = clock.now()


def test_the_clock_of_this_process_agrees_with_the_computer() -> None:
    assert abs(steady_clock.now() - time.time()) < 60
