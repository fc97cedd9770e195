"""Twenty candidates that gain nothing, fixed beforehand, on one query set: at least one passes in at most 5% of cases.

Rates of bounds rest on 1,500 families a case (Monte Carlo standard error about 0.5 points). The whole gate, with its
ledger on disk, is slower: few families show that it counts and spends as the bounds do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.simulation.attempts import Kind, family_passes, first_power, gate_attempts
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]
SIZES = (25, 50, pytest.param(200, marks=pytest.mark.full))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_spending_keeps_the_chance_of_one_false_pass(scores: dict[str, np.ndarray], kind: Kind, n: int) -> None:
    found = family_passes(scores, kind, n, 500, spend=True)["all"]
    assert found.share <= 0.05 + 3 * found.error


def test_without_spending_one_of_twenty_passes_often(scores: dict[str, np.ndarray]) -> None:
    """Where few queries change, the default bounds pass nothing of that kind anyway."""
    assert family_passes(scores, "dense", 50, 200, spend=False)["all"].share > 0.25
    assert family_passes(scores, "sparse", 50, 50, spend=False)["all"].share < 0.05


def test_the_first_attempt_keeps_most_of_its_power(places: list[World]) -> None:
    """80% without spending; about 72% with it."""
    whole, spent = (first_power(places, 50, 20, spend=spend)["all"].share for spend in (False, True))
    assert whole == pytest.approx(0.80, abs=0.025)
    assert spent == pytest.approx(0.72, abs=0.025)


@pytest.mark.full
def test_the_gate_spends_as_the_bounds_do(scores: dict[str, np.ndarray], tmp_path: Path) -> None:
    """Twelve families: without spending about four of them have a PASS, with it one of twenty."""
    whole, spent = (gate_attempts(scores["P@10"], "dense", 25, 12, tmp_path, spend=spend) for spend in (False, True))
    assert whole.hits >= 1
    assert spent.hits <= 2
