"""Intervals for every look: by hand, against a plain sum, and in agreement with their p-values."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.online.interleaving.preference import mean_at_any_time, share_at_any_time
from rankproof.proving.sequential import beta_weight, log_evidence


def estimate(answer: Estimate | NotEstimable) -> Estimate:
    assert isinstance(answer, Estimate)
    return answer


def test_the_share_by_hand() -> None:
    """With few planned units the mixture around p is beta(p, 1 - p).

    3 wins, no loss: B(p + 3, 1 - p) / B(p, 1 - p) = p (p + 1) (p + 2) / (1 x 2 x 3), over p^3: (p + 1) (p + 2) / 6 p^2.
    At 1/2 that is 2.5, and the p-value 0.4. It is 20 where 119 p^2 - 3 p - 2 = 0: p = (3 + 31) / 238 = 1/7.
    """
    found = estimate(share_at_any_time(2)(3, 0, 0.95))
    assert beta_weight(0.95, 2) == 1.0
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.p_value == pytest.approx(0.4)
    assert found.low == pytest.approx(1 / 7)


def mixed(p: float, wins: int, losses: int, units: int) -> float:
    """The integral of the likelihood over the beta distribution around p, over the likelihood: by the midpoint rule."""
    a, b = beta_weight(0.95, units) * p, beta_weight(0.95, units) * (1 - p)
    points = [(i + 0.5) / 20_000 for i in range(20_000)]
    weights = [x ** (a - 1) * (1 - x) ** (b - 1) for x in points]
    ratios = [(x / p) ** wins * ((1 - x) / (1 - p)) ** losses for x in points]
    return sum(w * r for w, r in zip(weights, ratios, strict=True)) / sum(weights)


def test_the_mixture_is_a_mean_of_likelihoods() -> None:
    found = estimate(share_at_any_time(300)(60, 40, 0.95))
    assert found.p_value == pytest.approx(min(1.0, 1 / mixed(0.5, 60, 40, 300)), rel=1e-6)
    for end in (found.low, found.high):
        assert mixed(end, 60, 40, 300) == pytest.approx(20, rel=1e-5)


@pytest.mark.parametrize(("wins", "losses"), [(0, 9), (7, 2), (60, 40), (900, 100), (5000, 5100)])
@pytest.mark.parametrize("units", [2, 300, 100_000])
def test_what_is_held_is_one_interval(wins: int, losses: int, units: int) -> None:
    """Away from the observed share, what is no longer held stays so: the ends that are found are all there are."""
    share = wins / (wins + losses)
    for end in (0.0005, 0.9995):
        path = [share + (end - share) * i / 400 for i in range(1, 401)]
        grown = [float(log_evidence(np.array([wins]), np.array([losses]), 0.95, units, p)[0]) for p in path]
        for limit in (1.6, 3.0, 6.9):  # levels of 80%, 95%, 99.9%
            held = [evidence < limit for evidence in grown]
            assert not any(later and not before for before, later in pairwise(held))


@pytest.mark.parametrize(("wins", "losses"), [(0, 4), (12, 3), (50, 50), (571, 429), (30, 300), (40_000, 41_000)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_the_interval_says_what_the_p_value_says(wins: int, losses: int, level: float) -> None:
    found = estimate(share_at_any_time(1000)(wins, losses, level))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (found.p_value <= 1 - level) == (not found.low <= 0.5 <= found.high)
    turned = estimate(share_at_any_time(1000)(losses, wins, level))
    assert (turned.low, turned.high) == (pytest.approx(1 - found.high), pytest.approx(1 - found.low))


def test_it_is_wider_than_one_look_and_tightest_near_the_planned_units() -> None:
    at = {units: estimate(share_at_any_time(units)(520, 480, 0.95)) for units in (50, 1000, 50_000)}
    widths = {units: found.high - found.low for units, found in at.items()}
    assert widths[1000] < widths[50]
    assert widths[1000] < widths[50_000]
    # One look: 2 x 1.96 x 0.0158 = 0.0619. At every look: half as wide again and a little more.
    assert 1.5 < widths[1000] / 0.0619 < 1.7


def test_the_margin_by_hand() -> None:
    """Margins 1, -1, 1, 1, with 4 planned units, where 4 times the square of rho is 7.936.

    The mean is 0.5 and its variance 1/4; the reach is the root of 1/4 x 2 x 8.936 / 7.936 x ln(sqrt(8.936) / 0.05).
    """
    found = estimate(mean_at_any_time(4)([1.0, -1.0, 1.0, 1.0], 0.95))
    reach = math.sqrt(0.25 * 2 * 8.936 / 7.936 * math.log(math.sqrt(8.936) / 0.05))
    assert (found.value, found.n) == (0.5, 4)
    assert found.high - found.value == pytest.approx(reach, rel=1e-4)
    assert found.notes == ("fewer than 100 units: the guarantee is for many units, so do not stop here",)
    assert estimate(mean_at_any_time(4)([1.0, -1.0] * 50, 0.95)).notes == ()


@pytest.mark.parametrize(
    ("margins", "reason", "value"),
    [([], "fewer than two units", None), ([1.0], "fewer than two units", 1.0), ([0.0, 0.0], "no unit differs", 0.0)],
)
def test_what_cannot_be_said_is_said_in_words(margins: list[float], reason: str, value: float | None) -> None:
    found = mean_at_any_time()(margins, 0.95)
    assert isinstance(found, NotEstimable)
    assert reason in found.reason
    assert found.value == value


def test_no_decided_unit() -> None:
    found = share_at_any_time()(0, 0, 0.95)
    assert isinstance(found, NotEstimable)
    assert found.reason == "no unit was won or lost"
