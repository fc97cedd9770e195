"""Intervals of the examination curve hold the truth as often as they say, on position-based users.

A coverage of 95% over 250 logs has a Monte Carlo standard error of 1.4 points.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.online_parts.examination import covered, made_up, of_the_log
from tests.shared_data import needs_shared_data

from rankproof.online.clicks.examination import FEW, curve

pytestmark = pytest.mark.slow

LOGS = 250
ERROR = 0.0138


def check(held: np.ndarray) -> None:
    """Every rank within three standard errors of 95%, and all together nearer."""
    assert (np.abs(held - 0.95) < 3 * ERROR).all(), held
    assert 0.935 < held.mean() < 0.965, held


@pytest.mark.parametrize(
    ("queries", "size", "per_session"), [(500, 1_000, 1), pytest.param(20, 4_000, 4, marks=pytest.mark.full)]
)
def test_on_pages_in_part_by_chance(queries: int, size: int, per_session: int) -> None:
    """Two pages a query; and sessions of four pages, whose clicks depend on each other."""
    check(covered(made_up(queries), size, LOGS, per_session))


@needs_shared_data
@pytest.mark.parametrize("size", [300, pytest.param(4_000, marks=pytest.mark.full)])
def test_on_rankings_of_the_click_log(size: int) -> None:
    check(covered(of_the_log(), size, LOGS))


@needs_shared_data
def test_where_the_curve_says_that_clicks_are_few_intervals_are_too_narrow() -> None:
    users = of_the_log()
    held = covered(users, 60, LOGS)
    assert held[:3].mean() < 0.935, held
    drawn = users.pages.take(np.random.default_rng(60).integers(len(users.pages), size=60))
    assert any(f"fewer than {FEW} clicks" in note for note in curve(drawn).notes)
