"""Plans of query sets: what two runs or a standard deviation promise, with how uncertain the spread is."""

from __future__ import annotations

import math

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.plan_power import Sizing, plan_runs, plan_sd, round_number
from rankproof.proving.power import power_at, queries_needed, smallest_difference

# Four queries with one relevant document each; RR is 1, 1/2, 1/2, 0 for the first run and 1/2, 1, 1, 1 for the second.
QRELS = {q: {"r": 1} for q in "abcd"}
FIRST = {"a": ["r"], "b": ["x", "r"], "c": ["x", "r"], "d": ["x"]}
SECOND = {"a": ["x", "r"], "b": ["r"], "c": ["r"], "d": ["r"]}


def scored(rankings: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {q: {doc: -float(rank) for rank, doc in enumerate(docs)} for q, docs in rankings.items()}


def only(found: dict[str, Sizing | NotEstimable]) -> Sizing:
    (sizing,) = found.values()
    assert isinstance(sizing, Sizing)
    return sizing


def test_two_runs() -> None:
    """Differences -1/2, 1/2, 1/2, 1: mean 3/8, squares about it (49 + 1 + 1 + 25) / 64 = 1.1875, over 3: 0.39583."""
    plan = plan_runs(QRELS, scored(FIRST), scored(SECOND), "RR")
    sizing = only(plan.sizings)
    sd = math.sqrt(1.1875 / 3)
    assert sizing.observed == pytest.approx(0.375)
    assert sizing.spread.sd == pytest.approx(sd)
    assert sizing.spread.measured_on == sizing.queries == 4
    assert sizing.smallest is not None
    assert sizing.smallest.difference == pytest.approx(smallest_difference(sd, 4))
    assert sizing.difference == sizing.observed
    assert sizing.needed is not None
    assert sizing.needed.queries == queries_needed(sd, 0.375)


def test_the_range_of_the_needed_queries_is_that_of_the_standard_deviation() -> None:
    """Chi-square with 3 degrees of freedom: 0.2158 and 9.3484 cut off 2.5% on either side."""
    sizing = only(plan_runs(QRELS, scored(FIRST), scored(SECOND), "RR", difference=0.1).sizings)
    low, high = (math.sqrt(1.1875 / chi) for chi in (9.348404, 0.215795))
    assert (sizing.spread.low, sizing.spread.high) == (pytest.approx(low, rel=1e-5), pytest.approx(high, rel=1e-5))
    assert sizing.needed is not None
    assert sizing.smallest is not None
    assert sizing.needed.low == queries_needed(sizing.spread.low or 0, 0.1)
    assert sizing.needed.high == queries_needed(sizing.spread.high or 0, 0.1)
    assert sizing.smallest.high == pytest.approx(smallest_difference(high, 4), rel=1e-5)


def test_other_queries_and_another_difference() -> None:
    sizing = only(plan_runs(QRELS, scored(FIRST), scored(SECOND), "RR", queries=100, difference=0.05).sizings)
    assert (sizing.queries, sizing.difference, sizing.spread.measured_on) == (100, 0.05, 4)
    asked = [at for at in sizing.by_difference if at.difference == 0.05]
    assert [at.power for at in asked] == [pytest.approx(float(power_at(sizing.spread.sd, 100, 0.05)))]
    assert 100 in [at.queries for at in sizing.by_queries]


def test_several_measures() -> None:
    """P@1 differs by -1, 1, 1, 1; every ranking has its whole pool within the first two but d of the first run."""
    plan = plan_runs(QRELS, scored(FIRST), scored(SECOND), "P@1 NumQ")
    found = plan.sizings["P@1"]
    assert isinstance(found, Sizing)
    assert found.spread.sd == pytest.approx(1.0)  # mean 1/2, squares 9/4 + 3/4 = 3, over 3
    missing = plan.sizings["NumQ"]
    assert isinstance(missing, NotEstimable)
    assert "same value on every query" in missing.reason


def test_a_standard_deviation() -> None:
    sizing = only(plan_sd(0.2, queries=50, difference=0.1).sizings)
    assert sizing.smallest is not None
    assert sizing.needed is not None
    assert sizing.smallest.low is None
    assert sizing.needed.queries == 34  # an effect of 0.5
    assert not sizing.needed.ranged
    powers = [at.power for at in sizing.by_queries]
    assert powers == sorted(powers)
    assert powers[-1] > 0.99


def test_a_loss_is_planned_with_its_sign() -> None:
    sizing = only(plan_sd(0.2, queries=50, alternative="less").sizings)
    gain = only(plan_sd(0.2, queries=50, alternative="greater").sizings)
    assert sizing.smallest is not None
    assert gain.smallest is not None
    assert sizing.smallest.difference == -gain.smallest.difference
    assert [at.power for at in sizing.by_difference] == [at.power for at in gain.by_difference]
    assert sizing.by_difference[0].difference < 0


def test_an_observed_difference_on_the_other_side_takes_no_number_of_queries() -> None:
    sizing = only(plan_runs(QRELS, scored(FIRST), scored(SECOND), "RR", alternative="less").sizings)
    assert sizing.needed is not None
    assert sizing.needed.queries is None
    assert sizing.by_queries == ()


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({}, ["--queries", "--difference"]),
        ({"queries": 1}, ["2", "--queries 1"]),
        ({"difference": 0.0}, ["two-sided", "difference", "0 came"]),
        ({"difference": -0.1, "alternative": "greater"}, ["greater", "difference", "-0.1"]),
        ({"difference": 0.1, "alternative": "less"}, ["less", "difference", "0.1"]),
        ({"queries": 50, "power": 1.2}, ["power", "1.2"]),
    ],
)
def test_what_is_refused(asked: dict[str, object], values: list[str]) -> None:
    with raises(UsageError, *values):
        plan_sd(0.2, **asked)


def test_steps_a_person_can_read() -> None:
    assert [round_number(v) for v in (0.013, 0.016, 0.04, 0.09, 3.0)] == [0.01, 0.02, 0.05, 0.1, 2.0]
