"""Skewed revenue: harmless ramps are rarely rolled back, and the vectorised benchmark says what the ramp says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.online_parts.looking import allowed
from benchmarks.online_parts.skew import (
    DAYS,
    LOSS,
    MARGINS,
    POLICY,
    UNITS,
    Arms,
    Buyers,
    covered,
    ramps,
    reach,
    size,
)

from rankproof.online.trial.days import Day, DayCell
from rankproof.online.trial.decide import decide
from rankproof.online.trial.design import read_design
from rankproof.online.trial.moments import from_sums

HEAVY = Buyers(0.05, 2.0)


def check_harmless(world: Buyers, users: int, count: int) -> None:
    found = ramps(world, users, 0.0, count, np.random.default_rng(1))
    for ((method, new), margin), stopped in found.items():
        if new:
            assert stopped / count <= allowed(count), (method, margin)
    # By each variant's own variance far too many are: what this guards against is there.
    if world.sigma == 2.0:
        assert found[("sequence", False), 0.0] / count > 0.2


def test_harmless_ramps_with_few_large_buyers_go_on() -> None:
    check_harmless(HEAVY, 10_000, 100)


@pytest.mark.full
@pytest.mark.parametrize("users", [10_000, 100_000])
@pytest.mark.parametrize("world", [Buyers(share, sigma) for share in (0.05, 0.1) for sigma in (1.0, 1.5, 2.0)], ids=str)
def test_harmless_ramps_go_on_in_every_cell(world: Buyers, users: int) -> None:
    check_harmless(world, users, 400)


def test_a_loss_is_found_more_often_by_planned_looks() -> None:
    found = ramps(Buyers(0.1, 1.0), 50_000, LOSS, 60, np.random.default_rng(2))
    assert found[("pocock", True), 0.0] > found[("sequence", True), 0.0] > 0.2 * 60


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_intervals_hold_or_warn(share: float) -> None:
    rates, unwarned, _ = covered(Buyers(1.0, 2.0), 1_000, share, 1_000, np.random.default_rng(3))
    least = 0.94 - 3 * math.sqrt(0.94 * 0.06 / 1_000)
    before, now, before_always, always = (rate.share for rate in rates)
    assert now >= least
    assert always >= least
    assert unwarned.share >= least
    if share == 0.1:
        assert before < 0.85
        assert before_always < 0.92


@pytest.mark.parametrize("method", ["sequence", "pocock"])
@pytest.mark.parametrize("margin", MARGINS)
def test_the_benchmark_says_what_a_trial_says(method: str, margin: float) -> None:
    """Sums of days as day files, decided as a ramp decides: the same bound in standard errors, on every day."""
    goal = {"goal": "not_worse", "margin": margin} if margin else {"goal": "better"}
    text = f"sequence(units={UNITS})" if method == "sequence" else f"pocock(days={2 * DAYS})"
    design = read_design(
        {
            "trial": {"name": "t", "control": "old", "shares": {"old": 0.75, "new": 0.25}, "method": text},
            "metric": [{"name": "spent", "value": "spent", **goal}],
        }
    )
    rng = np.random.default_rng(4)
    arms, before, days = Arms.none(1), Arms.none(1), []
    for number in range(1, 4):
        arms.add(rng, Buyers(0.1, 1.0), np.array([1_000]), 4_000, -0.4)
        moments = {}
        for at, name in enumerate(("old", "new")):
            n, total, squares = (float((now - old)[at, 0]) for now, old in (
                (arms.n, before.n), (arms.total, before.total), (arms.squares, before.squares)
            ))  # fmt: skip
            moments[DayCell("spent", name)] = from_sums(int(n), [total, n, 0.0], [squares, n, 0.0, total, 0.0, 0.0])
        before = Arms(arms.n.copy(), arms.total.copy(), arms.squares.copy())
        days.append(
            Day(
                trial="t",
                dates=(f"2026-11-0{number}",),
                unit="user",
                enter="first_day",
                shares={"old": 0.75, "new": 0.25},
                metrics={metric.name: metric.collected() for metric in design.metrics},
                strata=(),
                segments=(),
                units={"old": 3_000, "new": 1_000},
                rows=4_000,
                moments=moments,
            )
        )
        ruling = decide(design, days, confidence=POLICY.confidence).rulings[1]
        z, told = size(arms, -margin, True)
        assert told[0]
        assert ruling.p_fail is not None
        alpha = 1 - POLICY.confidence
        assert (z[0] < -reach(method, number, 4_000, alpha)) == (ruling.p_fail < alpha)
        assert ruling.status == ("FAIL" if ruling.p_fail < alpha else "UNDECIDED")
