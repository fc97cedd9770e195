"""Studentized bootstrap max-t: one false alarm among all pairs of ten systems of unequal spread, in 5% of families.

Rates rest on 500 families of 45 tests (Monte Carlo standard error 1 point); docs/statistics.md has those of 6,000.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.families import FamilyNull, family_error
from benchmarks.simulation.sparse import scores
from benchmarks.simulation.worlds import Values
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]


def measured() -> dict[str, Values]:
    return {name: values for name, values in scores().items() if name != "hit"}


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full)])
@pytest.mark.parametrize("null", ["centered", "scaled"])
def test_family_error_of_systems_of_unequal_spread(null: FamilyNull, n: int) -> None:
    found = family_error(measured(), "max_t", null, n, 100, systems=10, resamples=499)["all"]
    assert found.share <= 0.05 + 3 * (0.05 * 0.95 / found.trials) ** 0.5


def test_ten_queries_are_left_to_the_bounds() -> None:
    """Fewer than 12: every test has Gaffke's bounds, which find nothing by chance."""
    assert family_error(measured(), "max_t", "scaled", 10, 1, systems=10)["all"].hits == 0


def test_holm_over_t_tests_errs_there() -> None:
    """What it is there for."""
    found = family_error(measured(), "holm", "scaled", 25, 100, systems=10)["all"]
    assert found.share > 0.06
