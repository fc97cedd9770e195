"""When the next request may go out."""

from __future__ import annotations

import pytest

from rankproof.kernel.pacing import Pace


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_requests_keep_the_gap_that_the_rate_leaves() -> None:
    clock = Clock()
    pace = Pace(4.0, clock)
    assert pace.reserve() == 0
    assert pace.reserve() == 0.25
    clock.now += 0.1
    assert pace.reserve() == pytest.approx(0.15)
    clock.now += 0.15
    assert pace.reserve() == 0
    assert pace.reserve() == 0.25


def test_no_rate_is_no_limit() -> None:
    pace = Pace(None, Clock())
    assert [pace.reserve() for _ in range(5)] == [0] * 5


def test_time_that_nobody_used_is_not_saved_up() -> None:
    clock = Clock()
    pace = Pace(2.0, clock)
    clock.now += 60
    assert pace.reserve() == 0
    assert pace.reserve() == 0.5


@pytest.mark.parametrize("rate", [None, 4.0])
def test_a_hold_is_for_everybody_also_for_those_who_wait(rate: float | None) -> None:
    clock = Clock()
    pace = Pace(rate, clock)
    assert pace.reserve() == 0
    pace.reserve()
    pace.hold(3.0)
    assert pace.reserve() == 3.0
    clock.now += 2.0
    assert pace.reserve() == 1.0
    clock.now += 1.0
    assert pace.reserve() == 0


def test_the_rate_holds_after_a_hold() -> None:
    clock = Clock()
    pace = Pace(4.0, clock)
    pace.hold(3.0)
    clock.now += 3.0
    assert pace.reserve() == 0
    assert pace.reserve() == 0.25


def test_a_shorter_hold_does_not_end_a_longer_one() -> None:
    pace = Pace(None, Clock())
    pace.hold(3.0)
    pace.hold(1.0)
    assert pace.reserve() == 3.0
