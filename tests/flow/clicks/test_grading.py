"""Grades from clicks: the mapping by hand, and a confidence that is right as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clickmodels.worlds import shuffled, truth
from tests.shared_data import SHARED, needs_shared_data

from rankproof.clickmodels.ctr import ClickThrough
from rankproof.clickmodels.position_based import PositionBased
from rankproof.errors import UsageError
from rankproof.flow.calls import read_call
from rankproof.flow.clicks.grading import LIMITS, graded
from rankproof.flow.clicks.reading import read_pages
from rankproof.flow.clicks.simulating import clicked
from rankproof.testing.pages import pages_of


def test_value_looks_and_confidence_by_hand() -> None:
    """Rank 1 is looked at by half, rank 2 by a quarter: a look there is half a look at rank 1."""
    pages = pages_of("q: A b", "q: b a", "q: b")
    a, b = graded(PositionBased(np.array([0.8, 0.1]), np.array([0.5, 0.25])), pages, limits=(0.4,))
    assert (a.query_id, a.doc_id, a.grade, a.showings, a.clicks) == ("q", "a", 1, 2, 1)
    assert (a.value, a.looks) == pytest.approx((0.4, 1.5))
    assert (b.value, b.looks, b.grade) == pytest.approx((0.05, 2.5, 0))
    # Without looks the distribution is flat: a grade is as likely as its band is wide. Two looks at value 1/2 make it
    # Beta(2, 2), of which 3 x^2 - 2 x^3 lies below x: 0.648 below 0.6, 0.352 below 0.4.
    (two,) = graded(ClickThrough(np.array([0.5])), pages_of("q: A", "q: a"), limits=(0.4, 0.6))
    assert (two.grade, two.confidence) == (1, pytest.approx(0.648 - 0.352))


def test_a_value_at_a_limit_reaches_it_and_seldom_shown_pairs_can_be_left_out() -> None:
    pages = pages_of("q: A b", "q: a")
    found = graded(ClickThrough(np.array([0.3, 0.29])), pages)
    assert [(one.doc_id, one.grade) for one in found] == [("a", 2), ("b", 1)]
    assert [one.doc_id for one in graded(ClickThrough(np.array([0.3, 0.29])), pages, least=2)] == ["a"]


def test_limits_that_cannot_be() -> None:
    fitted, pages = ClickThrough(np.array([0.5])), pages_of("q: A")
    for limits in [(0.5, 0.2), (0.0, 0.5), (0.5, 1.0)]:
        with pytest.raises(UsageError, match="must rise"):
            graded(fitted, pages, limits)
    with pytest.raises(UsageError, match="least must be 1 or more"):
        graded(fitted, pages, least=0)


@pytest.mark.parametrize("world", ["ctr", "position_based", "user_browsing"])
def test_confidence_is_right_as_often_as_it_says(world: str) -> None:
    """Over 40 logs of 24 pairs: 960 grades, whose share of right ones has a standard error of about 0.015."""
    true, asked = truth(world, 4), read_call("clickmodels", world)
    right, said = [], []
    for seed in range(40):
        pages = clicked(true, shuffled(400, 4, seed), np.random.default_rng(1000 + seed))
        first = true.examination(pages)
        values = true.attractiveness * (1.0 if first is None else first[0, 0])
        found = graded(asked.item.fit(pages, asked.values), pages)
        right += list(np.searchsorted(LIMITS, values, side="right") == [one.grade for one in found])
        said += [one.confidence for one in found]
    assert np.mean(right) == pytest.approx(np.mean(said), abs=0.05)
    assert 0.5 < np.mean(said) < 0.95


@needs_shared_data
def test_real_pages_give_a_grade_for_every_pair() -> None:
    pages = read_pages(SHARED / "clicks" / "yandex_sample.txt")
    asked = read_call("clickmodels", "user_browsing")
    found = graded(asked.item.fit(pages, asked.values), pages)
    assert len(found) == len(pages.pairs) == 1_024
    assert sum(one.clicks for one in found) == 42_703
    assert sum(one.showings for one in found) == 350_640
    assert all(0 < one.confidence <= 1 for one in found)
    assert {one.grade for one in found} == {0, 1, 2, 3}
