"""The power of looking on the way, against experiments that are drawn, and the units it takes."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.online.interleaving.plan import plan, power_anytime, units_needed, units_needed_anytime
from rankproof.online.interleaving.preference import share_at_any_time


def drawn(decided: int, share: float, looks: int, times: int) -> tuple[float, float]:
    """How many of many experiments show it, and when they are over: one unit after the other."""
    rng = np.random.default_rng(5)
    infer = cache(share_at_any_time(decided))
    shown, over = 0, []
    for _ in range(times):
        wins = np.cumsum(rng.random(decided) < share)
        end = decided
        for look in range(1, looks + 1):
            n = math.ceil(decided * look / looks)
            found = infer(int(wins[n - 1]), n - int(wins[n - 1]), 0.95)
            if isinstance(found, Estimate) and found.p_value <= 0.05:
                shown += 1
                end = n
                break
        over.append(end)
    return shown / times, float(np.mean(over))


def test_the_power_is_that_of_experiments_that_are_drawn() -> None:
    power, average = power_anytime(200, 0.62, looks=20)
    shown, over = drawn(200, 0.62, 20, 800)
    assert shown == pytest.approx(power, abs=3 * math.sqrt(power * (1 - power) / 800))
    assert over == pytest.approx(average, rel=0.06)


def test_even_chances_are_shown_to_be_uneven_less_often_than_the_level_allows() -> None:
    for decided in (20, 500, 5000):
        assert 0 < power_anytime(decided, 0.5)[0] <= 0.05


def test_one_look_of_six() -> None:
    """Planned for 6 units the mixture is wider than Jeffreys': beta(1/2, 1/2), B(6.5, 0.5) / B(0.5, 0.5) = 0.2256.

    Six wins of six: 0.2256 x 64 = 14.4, below 20. So nothing is ever shown; of 7, 0.2095 x 128 = 26.8 shows it.
    """
    assert power_anytime(6, 0.9, looks=1) == (0.0, 6.0)
    power, average = power_anytime(7, 0.9, looks=1)
    assert power == pytest.approx(0.9**7 + 0.1**7)
    assert average == pytest.approx(7)


@pytest.mark.parametrize("share", [0.52, 0.6, 0.3, 0.95])
def test_looking_on_the_way_takes_more_units_at_most_and_fewer_on_average_than_that(share: float) -> None:
    once, often = units_needed(share), units_needed_anytime(share)
    assert often.power >= 0.8
    assert once.decided < often.decided < 2 * once.decided
    assert often.average is not None
    assert often.average < 0.75 * often.decided


def test_near_even_the_units_grow_with_the_inverse_square() -> None:
    near, nearer = units_needed_anytime(0.51), units_needed_anytime(0.505)
    assert (near.exact, nearer.exact) == (True, False)
    assert nearer.decided == 4 * near.decided


def test_ties_and_days() -> None:
    (row,) = plan([0.6], decided=0.4, per_day=100).rows
    assert (row.fixed.units, row.fixed_days) == (525, 6)
    assert row.anytime.units == math.ceil(row.anytime.decided / 0.4)
    assert row.anytime_days == math.ceil(row.anytime.units / 100)


def test_what_units_show() -> None:
    (row,) = plan([0.6], decided=0.5, units=420).rows
    assert (row.fixed.decided, row.fixed.units) == (210, 420)
    assert row.fixed.power == pytest.approx(0.82, abs=0.005)  # 80% takes 210 decided units, and they have a little more
    assert row.anytime.power < row.fixed.power


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({"shares": [0.6, 0.5]}, ["share", "0.5"]),
        ({"shares": [0.6], "units": 1, "decided": 0.5}, ["1", "0.5", "0", "1,000,000"]),
        ({"shares": [0.6], "units": 10_000_000}, ["10,000,000", "1,000,000"]),
    ],
)
def test_what_cannot_be_planned_is_refused(asked: dict, values: list[str]) -> None:
    with raises(UsageError, *values):
        plan(**asked)
