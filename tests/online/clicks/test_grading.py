"""Grades from clicks: the posterior by hand, the most probable grade, and a confidence that is right as it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc
from tests.online.clickmodels.worlds import shuffled, truth
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.ctr import ClickThrough
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.clicks.grades import GRID, LIMITS, POINTS, GradeStep, Posterior, grade_pages, grades_of, posterior
from rankproof.online.clicks.read import read_pages
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.impressions import Impressions
from rankproof.testing.statistics import pages_of

FLAT = np.full(POINTS, 1 / POINTS)


def known(showings: float, clicks: float, looks: float | None = None) -> Posterior:
    """What is known of one pair where the spread over pairs is Jeffreys' prior."""
    numbers = [np.array([float(n)]) for n in (showings, clicks, showings if looks is None else looks)]
    return Posterior(np.array([0]), *numbers, FLAT)


def test_with_jeffreys_prior_and_every_showing_looked_at_the_posterior_is_a_beta() -> None:
    """One click on two showings: Beta(1/2 + 1, 1/2 + 1), whose mean is 1/2. None on three: Beta(1/2, 7/2), 1/8."""
    one = known(2, 1)
    assert one.means() == pytest.approx([0.5], abs=1e-6)
    assert one.below([0.4]) == pytest.approx(np.array([[betainc(1.5, 1.5, 0.4)]]), abs=0.005)
    assert known(3, 0).means() == pytest.approx([0.125], abs=1e-3)


def test_where_few_look_few_clicks_say_more() -> None:
    """A click on four showings that got two looks: v (1 - v / 2)^3 is steeper toward 1 than v (1 - v)^3."""
    assert known(4, 1, 2).means() > known(4, 1, 4).means()
    weights = GRID * (1 - GRID / 2) ** 3
    assert known(4, 1, 2).means() == pytest.approx([weights @ GRID / weights.sum()])


def test_a_pair_of_which_little_is_known_is_taken_to_be_like_others() -> None:
    """Thirty documents are clicked on one page of ten. Another with one click of two is hardly better than these."""
    pages = pages_of(
        *[f"q: {'D' if page % 10 == 0 else 'd'}{i}" for i in range(30) for page in range(50)], "q: X", "q: x"
    )
    found = posterior(ClickThrough(np.zeros(31)), pages, np.arange(31))
    assert known(2, 1).means() == pytest.approx([0.5], abs=1e-6)
    assert found.means()[:30] == pytest.approx(np.full(30, 0.1), abs=0.01)
    assert 0.1 < found.means()[30] < 0.25


def test_looks_are_counted_in_looks_at_rank_1() -> None:
    """Rank 1 is looked at by half, rank 2 by a quarter: a look there is half a look at rank 1."""
    pages = pages_of("q: A b", "q: b a", "q: b")
    a, b = grade_pages(PositionBased(np.array([0.8, 0.1]), np.array([0.5, 0.25])), pages, limits=(0.4,))
    assert (a.query_id, a.doc_id, a.showings, a.clicks, a.looks) == ("q", "a", 2, 1, 1.5)
    assert (b.doc_id, b.showings, b.clicks, b.looks) == ("b", 3, 0, 2.5)
    assert (a.grade, b.grade) == (1, 0)
    assert a.value > b.value


def test_the_most_probable_grade_is_given() -> None:
    """Beta(1.5, 1.5) has 0.352 below 0.4 by symmetry as much above 0.6, and the rest between."""
    grades, sure = grades_of([GradeStep("click", 0.4), GradeStep("click", 0.6)], {"click": known(2, 1)})
    outer = betainc(1.5, 1.5, 0.4)
    assert outer == pytest.approx(0.3735, abs=1e-4)
    assert sure == pytest.approx([outer], abs=0.005)
    assert grades.tolist() in ([0], [2])
    grades, sure = grades_of([GradeStep("click", 0.3), GradeStep("click", 0.7)], {"click": known(2, 1)})
    assert grades.tolist() == [1]
    assert sure == pytest.approx([1 - 2 * betainc(1.5, 1.5, 0.3)], abs=0.01)


def test_steps_of_two_signals_are_independent_and_the_highest_counts() -> None:
    """Clicked 9 of 10, converted 5 of 10. Grade 2 where conversion reaches 0.3, whatever the click does; grade 1 where
    it does not and the click reaches 0.5."""
    by_signal = {"click": known(10, 9), "conversion": known(10, 5)}
    steps = [GradeStep("click", 0.5), GradeStep("conversion", 0.3)]
    click, conversion = by_signal["click"].below([0.5])[0, 0], by_signal["conversion"].below([0.3])[0, 0]
    grades, sure = grades_of(steps, by_signal)
    assert (grades.tolist(), sure.tolist()) == ([2], pytest.approx([1 - conversion]))
    by_signal["conversion"] = known(10, 0)
    conversion = by_signal["conversion"].below([0.3])[0, 0]
    grades, sure = grades_of(steps, by_signal)
    assert (grades.tolist(), sure.tolist()) == ([1], pytest.approx([(1 - click) * conversion]))


def test_seldom_shown_pairs_can_be_left_out() -> None:
    pages = pages_of("q: A b", "q: a")
    assert [one.doc_id for one in grade_pages(ClickThrough(np.array([0.3, 0.2])), pages)] == ["a", "b"]
    assert [one.doc_id for one in grade_pages(ClickThrough(np.array([0.3, 0.2])), pages, least=2)] == ["a"]


def test_limits_that_cannot_be() -> None:
    fitted, pages = ClickThrough(np.array([0.5])), pages_of("q: A")
    for limits in [(0.5, 0.2), (0.0, 0.5), (0.5, 1.0)]:
        with raises(UsageError, "grades", ", ".join(f"{limit:g}" for limit in limits)):
            grade_pages(fitted, pages, limits)
    with raises(UsageError, "limit", "0.1", "0.3"):
        grade_pages(fitted, pages, ())
    with raises(UsageError, "least", "0"):
        grade_pages(fitted, pages, least=0)


@pytest.mark.parametrize("world", ["ctr", "position_based", "user_browsing"])
def test_confidence_is_right_as_often_as_it_says(world: str) -> None:
    """Over 40 logs of 24 pairs: 960 grades, whose share of right ones has a standard error of about 0.015."""
    true, asked = truth(world, 4), read_configured("clickmodels", world)
    right, said = [], []
    for seed in range(40):
        pages = draw_clicks(true, shuffled(400, 4, seed), np.random.default_rng(1000 + seed))
        first = true.examination(pages)
        values = true.attractiveness * (1.0 if first is None else first[0, 0])
        found = grade_pages(asked.item.fit(pages, asked.values), pages)
        right += list(np.searchsorted(LIMITS, values, side="right") == [one.grade for one in found])
        said += [one.confidence for one in found]
    assert np.mean(right) == pytest.approx(np.mean(said), abs=0.05)
    assert 0.5 < np.mean(said) < 0.97


def many_pairs(likings: tuple[float, float]) -> tuple[Impressions, np.ndarray]:
    """20,000 pages of 200 queries, few of them asked often: ten of twenty documents each, and how each is liked."""
    rng = np.random.default_rng(5)
    queries = np.minimum((200 ** rng.random(20_000)).astype(np.int64), 199)
    docs = np.argsort(rng.random((20_000, 20)) + np.linspace(0, 1, 20), axis=1)[:, :10]
    names = tuple(f"q{i}" for i in range(200)), tuple(f"d{i}" for i in range(20))
    pages = Impressions.of(*names, queries, docs, np.full(20_000, 10), np.zeros((20_000, 10), dtype=np.bool_))
    return pages, rng.beta(*likings, len(pages.pairs))


@pytest.mark.slow
@pytest.mark.parametrize(("likings", "limits"), [((1, 3), LIMITS), ((1, 10), LIMITS), ((1, 40), (0.02, 0.05))])
def test_of_grades_that_are_eighty_percent_sure_eighty_percent_are_right(
    likings: tuple[float, float], limits: tuple[float, ...]
) -> None:
    """Pairs by confidence, in tenths: what they say against what is right, for 0.4 and above. Also where clicks are so
    rare that the model's own prior would decide."""
    shown, liked = many_pairs(likings)
    looked = 0.9 / (1 + 0.35 * np.arange(10))
    pages = draw_clicks(PositionBased(liked, looked), shown, np.random.default_rng(6))
    asked = read_configured("clickmodels", "position_based")
    found = posterior(
        asked.item.fit(pages, asked.values), pages, np.flatnonzero(np.bincount(pages.shown.ravel()) >= 10)
    )
    grades, sure = grades_of([GradeStep("click", limit) for limit in limits], {"click": found})
    right = np.searchsorted(limits, liked[found.pairs] * looked[0], side="right") == grades
    assert right.mean() == pytest.approx(sure.mean(), abs=0.03)
    tenths = np.minimum((10 * sure).astype(int), 9)
    tried = 0
    for tenth in range(4, 10):
        here = tenths == tenth
        if here.sum() >= 100:
            error = np.sqrt(0.25 / here.sum())
            assert right[here].mean() == pytest.approx(sure[here].mean(), abs=0.03 + 3 * error)
            tried += 1
    assert tried >= 4


@needs_shared_data
def test_real_pages_give_a_grade_for_every_pair() -> None:
    pages = read_pages(SHARED / "clicks" / "yandex_sample.txt")
    asked = read_configured("clickmodels", "user_browsing")
    found = grade_pages(asked.item.fit(pages, asked.values), pages)
    assert len(found) == len(pages.pairs) == 1_024
    assert sum(one.clicks for one in found) == 42_703
    assert sum(one.showings for one in found) == 350_640
    assert all(0.25 <= one.confidence <= 1 for one in found)
    assert {one.grade for one in found} == {0, 1, 2, 3}
