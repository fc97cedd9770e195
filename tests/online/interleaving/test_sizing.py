"""Units needed: the exact power of the exact test, and the number from which on it holds."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.online.interleaving.plan import EXACT, power_at, units_needed
from rankproof.online.interleaving.preference import preferred
from rankproof.online.interleaving.records import Outcome


def plain_power(n: int, share: float) -> float:
    """Every count of wins that the test rejects, with its chance."""
    half = [comb(n, k) / 2**n for k in range(n + 1)]
    rejected = [k for k in range(n + 1) if 2 * min(sum(half[: k + 1]), sum(half[k:])) <= 0.05]
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in rejected)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8, 0.95])
def test_the_power_is_that_of_the_test_summed_by_hand(share: float) -> None:
    sizes = np.arange(1, 60)
    assert power_at(sizes, share) == pytest.approx([plain_power(int(n), share) for n in sizes])


def test_five_units_show_nothing_and_six_only_if_all_are_won() -> None:
    # 2 / 2^5 = 0.0625 is above 0.05; 2 / 2^6 = 0.03125 is not: all won or all lost, 0.9^6 + 0.1^6.
    assert power_at(np.array([5, 6]), 0.9) == pytest.approx([0.0, 0.9**6 + 0.1**6])


@pytest.mark.parametrize("share", [0.05, 0.4, 0.45, 0.55, 0.6, 0.7, 0.8, 0.9, 0.99])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_from_that_number_on_the_power_holds(share: float, power: float) -> None:
    found = units_needed(share, power=power)
    beyond = np.arange(found.decided, 3 * found.decided + 200)
    assert power_at(beyond, share).min() >= power
    assert found.decided == 1 or power_at(np.array([found.decided - 1]), share)[0] < power
    assert found.power == pytest.approx(power_at(np.array([found.decided]), share)[0])


def test_ties_take_more_units() -> None:
    sure, rare = units_needed(0.6), units_needed(0.6, decided=0.4)
    assert (sure.decided, sure.units) == (210, 210)
    assert (rare.decided, rare.units) == (210, 525)  # 210 / 0.4


def test_far_out_the_approximation_is_near_and_says_so() -> None:
    near, far = units_needed(0.505), units_needed(0.5025)
    assert near.exact
    assert near.decided < EXACT < far.decided
    assert not far.exact
    # A quarter of the difference squared: four times the units, less the part that whole counts add.
    assert far.decided == pytest.approx(4 * near.decided, rel=0.005)


def test_the_planned_units_do_show_it() -> None:
    """400 experiments of the planned size: the share that is shown is near the planned power."""
    plan = units_needed(0.65)
    rng = np.random.default_rng(7)
    shown = 0
    for _ in range(400):
        wins = int(rng.binomial(plan.decided, 0.65))
        outcomes = [Outcome(str(i), {"a": float(i >= wins), "b": float(i < wins)}, 1) for i in range(plan.decided)]
        share = preferred(outcomes, "a", "b").share
        shown += isinstance(share, Estimate) and share.low > 0.5
    # The standard error of a share of 0.8 over 400 is 0.02.
    assert shown / 400 == pytest.approx(plan.power, abs=0.08)


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({"share": 0.5}, ["share", "got 0.5"]),
        ({"share": 1.0}, ["share", "1.0"]),
        ({"share": 0.6, "decided": 0.0}, ["decided", "0.0"]),
        ({"share": 0.6, "power": 1.0}, ["power", "1.0"]),
        ({"share": 0.6, "level": 0.3}, ["level", "0.3"]),
    ],
)
def test_what_cannot_be_planned_is_refused(asked: dict, values: list[str]) -> None:
    with raises(UsageError, *values):
        units_needed(**asked)
