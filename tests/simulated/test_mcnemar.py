"""Scores of 0 and 1: coverage and false alarms of the exact test, over all outcomes of n units and all pairs of rates.

Nothing is drawn: every outcome is answered and counted with its probability, so the only error is that of the grid of
rates. The long form has more units and finer grids; docs/statistics.md has 10, 20 and 50 units.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.binary import AllOutcomes, all_outcomes, least_coverage, most_false_alarms, rates

from rankproof.kernel.estimate import Alternative
from rankproof.proving.significance.contract import SignificanceRequest

pytestmark = pytest.mark.slow
SIZES = [8, 20, pytest.param(30, marks=pytest.mark.full), pytest.param(50, marks=pytest.mark.full)]
# A p-value is found to about a thousandth of itself, over the rates that are tried.
NEARLY = 1.002
# The differences that are not rejected may have a hole that the search for the bound steps over.
STEPPED_OVER = 0.0015


@pytest.mark.parametrize("n", SIZES)
def test_two_sided_intervals_and_tests(n: int) -> None:
    of = all_outcomes("mcnemar", n)
    assert least_coverage(of, 101) >= 0.95 - 2e-4
    for alpha in (0.001, 0.01, 0.05, 0.1, 0.3):
        assert most_false_alarms(of, alpha) <= alpha * NEARLY


@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize("null", [0.0, -0.05, pytest.param(0.2, marks=pytest.mark.full)])
@pytest.mark.parametrize("n", SIZES)
def test_one_sided_tests_of_a_margin_which_gates_make(n: int, null: float, side: Alternative) -> None:
    """Wherever the margin is just missed the rule passes in 5 of 100 cases at most, for every rate of change."""
    request = SignificanceRequest(0.95, side, null, low=-1.0, high=1.0)
    of = all_outcomes("mcnemar", n, request)
    for rate in np.linspace(abs(null), 1.0, 150).tolist():
        gains, losses = (rate + null) / 2, (rate - null) / 2
        for alpha in (0.01, 0.05, 0.2):
            assert of.rejects(gains, losses, alpha) <= alpha * NEARLY, (rate, alpha)
    assert least_coverage(of) >= 0.95 - STEPPED_OVER


@pytest.mark.parametrize("n", [20, pytest.param(50, marks=pytest.mark.full)])
def test_the_default_errs_no_more_than_before_and_finds_more(n: int) -> None:
    """Answered as values of 0 and 1, and as if values between were possible."""
    default = SignificanceRequest(low=-1.0, high=1.0, binary=True)
    now, before = all_outcomes("t_or_gaffke", n, default), all_outcomes("t_or_gaffke", n)
    assert worst_length(now, before) <= 1.0
    assert least_coverage(now) >= 0.95 - 2e-4 > 0.9 > least_coverage(before)
    for gains, losses in ((0.15, 0.03), (0.3, 0.05), (0.1, 0.0)):
        assert now.rejects(gains, losses) >= before.rejects(gains, losses)


def worst_length(now: AllOutcomes, before: AllOutcomes) -> float:
    """The greatest ratio of mean lengths over pairs of rates where t is not used: few units change."""
    few = [pair for pair in rates(21) if 0.05 < sum(pair) < 0.3]
    return max(now.length(*pair) / before.length(*pair) for pair in few)
