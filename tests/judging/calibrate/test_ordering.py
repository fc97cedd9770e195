"""Correlations of the order of systems, by hand and against other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from rankproof.judging.calibrate import order_of_systems, tau_ap, tau_b
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement_records import AgreementFigure
from rankproof.testing.tables import alike


@pytest.mark.parametrize("seed", range(10))
def test_tau_b_is_scipys(seed: int) -> None:
    a, b = np.random.default_rng(seed).integers(0, 5, (2, 8)).astype(float)
    assert tau_b(a[None], b[None])[0] == pytest.approx(kendalltau(a, b).statistic)


@pytest.mark.parametrize("seed", range(10))
def test_tau_ap_is_that_of_the_similarities(seed: int) -> None:
    """Systems in the model's order against people's, without ties."""
    rng = np.random.default_rng(seed)
    a, b = rng.permutation(7).astype(float), rng.permutation(7).astype(float)
    by = [[str(i) for i in np.argsort(-values)] for values in (b, a)]
    assert tau_ap(a[None], b[None])[0] == pytest.approx(alike("TauAP", *by), abs=1e-4)


def values(*columns: str) -> dict[str, dict[str, float]]:
    """Systems a, b, c, each with a digit per query."""
    return {
        name: {f"q{i}": float(digit) for i, digit in enumerate(digits)}
        for name, digits in zip("abc", columns, strict=False)
    }


def test_swaps_are_named() -> None:
    found = order_of_systems("P@1", values("333", "222", "111"), values("222", "333", "101"), "higher", 0.95, 200, 0)
    assert list(found.human) == ["a", "b", "c"]
    assert found.swapped == (("a", "b"),)
    assert found.tau.value == pytest.approx(1 / 3)


def test_where_low_is_better_the_order_turns() -> None:
    found = order_of_systems("MinPos", values("333", "222", "111"), values("322", "212", "113"), "lower", 0.95, 200, 0)
    assert list(found.human) == ["c", "b", "a"]
    assert found.human["c"] == 1.0


def test_an_order_that_never_changes_has_no_interval() -> None:
    found = order_of_systems("P@1", values("333", "222", "111"), values("999", "888", "777"), "higher", 0.95, 200, 0)
    assert found.tau == NotEstimable("every resample of the queries gives the same", "bootstrap over queries", 3, 1.0)


def test_few_systems_few_queries_and_equal_systems() -> None:
    two = order_of_systems("P@1", values("33", "21"), values("33", "21"), "higher", 0.95, 200, 0)
    assert isinstance(two.tau, NotEstimable)
    assert "three systems" in two.tau.reason
    one = order_of_systems("P@1", values("3", "2", "1"), values("3", "2", "1"), "higher", 0.95, 200, 0)
    assert isinstance(one.tau, NotEstimable)
    equal = order_of_systems("P@1", values("31", "22", "11"), values("11", "11", "11"), "higher", 0.95, 200, 0)
    assert isinstance(equal.tau, NotEstimable)
    assert equal.tau.value is None


def test_the_same_seed_the_same_interval() -> None:
    sides = values("3142", "2231", "1122"), values("2132", "2311", "1212")
    first, again = (order_of_systems("P@1", *sides, "higher", 0.95, 500, 3) for _ in range(2))
    assert isinstance(first.tau, AgreementFigure)
    assert first.tau == again.tau
    assert first.tau.low <= first.tau.value <= first.tau.high
