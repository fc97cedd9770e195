"""The examination curve: compared within pairs for position-based users, resampled for other models."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.online.clickmodels.worlds import shuffled, truth
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.online.clicks.examination import FEW, WITH_PRIOR, curve, proportions
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.impressions import Impressions
from rankproof.testing.statistics import pages_of

# Document a was clicked on 40 of 100 pages at rank 1 and on 10 of 50 at rank 2; nobody likes x.
TWO_RANKS = [*["q: A x"] * 40, *["q: a x"] * 60, *["q: x A"] * 10, *["q: x a"] * 40]


def test_the_proportion_of_two_ranks_by_hand() -> None:
    """(10 / 50) / (40 / 100) = 1/2; the logarithm has variance 0.6 / 40 + 0.8 / 10 = 0.095, a little more corrected."""
    pages = pages_of(*TWO_RANKS)
    first, second = curve(pages).ranks
    assert (first.rank, first.value, first.low, first.high) == (1, 1.0, 1.0, 1.0)
    assert second.value == pytest.approx(0.5, abs=1e-9)
    plain = math.exp(1.976 * math.sqrt(0.095))  # Student's with 149 degrees of freedom
    assert plain < second.high / second.value == pytest.approx(second.value / second.low)
    assert second.high / second.value == pytest.approx(plain, rel=0.05)
    # Of the pair's 50 clicks 40 are at rank 1 and 10 at rank 2: telling are 40 x 0.2 and 10 x 0.8.
    assert (first.telling, second.telling) == (pytest.approx(8), pytest.approx(8))


def test_pages_add_up_to_the_error_of_the_logarithm() -> None:
    """Influences sum to nothing, and their squares to the variance above before the correction for leverage."""
    found = proportions(pages_of(*TWO_RANKS))
    assert found.influences[:, 0].tolist() == [0.0] * 150
    assert abs(found.influences[:, 1].sum()) < 0.02
    assert 0.095 < (found.influences[:, 1] ** 2).sum() < 0.105


def test_likings_do_not_matter() -> None:
    """A pair that only ever stood at rank 2 says nothing about ranks, however often it is clicked."""
    more = curve(pages_of(*TWO_RANKS, *["r: x B"] * 30)).ranks[1]
    assert more.value == pytest.approx(curve(pages_of(*TWO_RANKS)).ranks[1].value, abs=1e-9)


def test_the_curve_holds_the_truth_and_leaves_nothing_to_chance() -> None:
    world = truth("position_based", 5)
    pages = draw_clicks(world, shuffled(4_000, 5, seed=1), np.random.default_rng(3))
    found = curve(pages, seed=4)
    assert found == curve(pages, seed=5)
    assert (found.unit, found.units, found.model, found.resamples) == ("page", 4_000, "position_based", 0)
    assert found.notes == ()
    looked = world.looked / world.looked[0]
    for one, true in zip(found.ranks[1:], looked[1:], strict=True):
        assert one.low < one.value < one.high
        assert one.low - 0.02 < true < one.high + 0.02


@pytest.mark.parametrize("model", ["position_based", "user_browsing(passes=5)"])
def test_sessions_count_whole(model: str) -> None:
    """Every session twenty pages of one and the same user: intervals are wider than those that take pages for alone."""
    pages = draw_clicks(truth("position_based", 4), shuffled(200, 4, seed=1), np.random.default_rng(3))
    again = np.repeat(np.arange(200), 20)
    many = replace(pages.take(again), numbers=np.arange(4_000))
    alone, whole = (curve(log, model, resamples=40) for log in (many, replace(many, sessions=again)))
    assert (whole.unit, whole.units) == ("session", 200)
    assert whole.ranks[3].high - whole.ranks[3].low > 2 * (alone.ranks[3].high - alone.ranks[3].low)


def test_a_rank_that_nothing_ties_to_the_first_is_left_out_with_a_note() -> None:
    """Document b is never seen elsewhere: that it is clicked at rank 2 may be its own merit."""
    found = curve(pages_of("q: A B", *["q: A", "q: a"] * 30))
    assert [one.rank for one in found.ranks] == [1]
    assert "rank 2 cannot be compared with rank 1" in found.notes[0]


def test_clicks_must_tie_ranks_both_ways() -> None:
    """Clicked at rank 1, never at rank 2: without bound less, which no number says."""
    found = curve(pages_of(*["q: A x", "q: x a", "q: y B"] * 30))
    assert [one.rank for one in found.ranks] == [1]


def test_few_telling_clicks_and_few_pages_are_told() -> None:
    found = curve(pages_of("q: A x", "q: x A", "q: a x", "q: x a"))
    assert [one.rank for one in found.ranks] == [1, 2]
    assert f"fewer than {FEW} clicks compare ranks 1, 2 with others" in found.notes[0]
    assert found.notes[1].startswith("4 of them are too few")


def test_another_model_is_resampled_by_its_seed_and_says_what_its_prior_does() -> None:
    pages = draw_clicks(truth("user_browsing", 4), shuffled(500, 4, seed=1), np.random.default_rng(3))
    found = curve(pages, "user_browsing", resamples=20, seed=4)
    assert found == curve(pages, "user_browsing", resamples=20, seed=4)
    assert found != curve(pages, "user_browsing", resamples=20, seed=5)
    assert (found.resamples, found.notes) == (20, (WITH_PRIOR,))
    assert all(one.low < one.value < one.high for one in found.ranks[1:])


def test_a_resample_may_lack_the_last_rank() -> None:
    """One page of 31 has a second rank, and about a third of the resamples have not got it: they say nothing of it."""
    found = curve(pages_of("q: A B", *["q: A", "q: a"] * 15), "user_browsing", resamples=50)
    assert len(found.ranks) == 2
    assert found.ranks[1].low > 0.5


def test_a_curve_that_cannot_be_drawn() -> None:
    with raises(UsageError, "ctr", "position_based"):
        curve(pages_of("q: A b"), "ctr")
    with raises(UsageError, "resamples", "20", "3"):
        curve(pages_of("q: A b"), resamples=3)
    with raises(UsageError, "coec", "rank 1"):
        curve(pages_of("q: a b"), "coec")
    with raises(UsageError, "position_based", "rank 1"):
        curve(pages_of("q: a B"))


def test_the_end_of_a_page_is_no_skip() -> None:
    """The same clicks, with pages that end after what was looked at."""
    long = pages_of(*TWO_RANKS)
    short = Impressions(
        long.pairs, long.shown, np.where(long.shown[:, 0] == 0, 1, 2), long.clicks, long.numbers, None, {}
    )
    assert short.pairs.named(0) == ("q", "a")
    assert curve(short).ranks[1].value == pytest.approx(0.5, abs=1e-9)
