"""Estimates with intervals against plain formulas, and what is not estimable."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.online.clicks.examination import proportions
from rankproof.online.counterfactual.estimate import (
    EQUAL_DR,
    KNOWN_CURVE,
    NOT_RANKED,
    CounterfactualRequest,
    of_actions,
    of_examination,
    of_lists,
    of_placements,
)
from rankproof.online.counterfactual.estimators import NO_SPREAD, ONE_UNIT
from rankproof.online.counterfactual.records import Choices, MeanReward, PlacedPages
from rankproof.online.impressions import Impressions
from rankproof.testing.statistics import pages_of

POLICY = {"q": {"a": 0.8, "b": 0.2}}


def logged(pages: int = 400, seed: int = 0, sessions: int = 0) -> Choices:
    """Action a with 1/4 and b with 3/4; a earns more."""
    rng = np.random.default_rng(seed)
    actions = (rng.random(pages) < 0.75).astype(np.int64)
    rewards = rng.normal(np.where(actions == 0, 2.0, 1.0), 0.5)
    likely = np.where(actions == 0, 0.25, 0.75)
    units = rng.integers(sessions, size=pages) if sessions else None
    return Choices(("q",), ("a", "b"), np.zeros(pages, dtype=np.int64), actions, likely, rewards, units)


def weights(log: Choices) -> np.ndarray:
    return np.where(log.actions == 0, 0.8, 0.2) / log.propensities


def test_ips_and_its_interval_by_a_plain_formula() -> None:
    log = logged()
    found = of_actions(log, POLICY, CounterfactualRequest(("ips",)))
    worth = weights(log) * log.rewards
    (one,) = found.estimates
    assert isinstance(one.new, MeanReward)
    assert one.new.value == pytest.approx(worth.mean())
    low, high = stats.t.interval(0.95, 399, worth.mean(), stats.sem(worth))
    assert (one.new.low, one.new.high) == (pytest.approx(low), pytest.approx(high))
    test = stats.ttest_1samp(worth - log.rewards, 0)
    assert isinstance(one.difference, Estimate)
    assert one.difference.p_value == pytest.approx(test.pvalue)
    assert (found.setting, found.unit, found.units, found.pages, found.reward) == ("action", "page", 400, 400, "reward")


def test_snips_and_the_delta_method() -> None:
    """Of a ratio of means: var(w r - V w) / n / mean(w)^2."""
    log = logged()
    w = weights(log)
    (one,) = of_actions(log, POLICY, CounterfactualRequest(("snips",))).estimates
    value = (w * log.rewards).sum() / w.sum()
    assert isinstance(one.new, MeanReward)
    assert one.new.value == pytest.approx(value)
    assert one.new.error == pytest.approx(np.std(w * (log.rewards - value), ddof=1) / math.sqrt(400) / w.mean())


def test_sessions_are_summed_before_they_are_squared() -> None:
    log = logged(sessions=40)
    found = of_actions(log, POLICY, CounterfactualRequest(("ips",)))
    worth = weights(log) * log.rewards
    sums = np.bincount(log.units, worth - worth.mean(), 40)
    (one,) = found.estimates
    assert isinstance(one.new, MeanReward)
    assert one.new.error == pytest.approx(math.sqrt((sums**2).sum() * 40 / 39) / 400)
    assert (found.unit, found.units) == ("session", 40)


def test_one_page_and_pages_that_do_not_differ() -> None:
    one = Choices(("q",), ("a",), np.zeros(1, int), np.zeros(1, int), np.ones(1), np.ones(1))
    (found,) = of_actions(one, {"q": {"a": 1.0}}, CounterfactualRequest(("ips",))).estimates
    assert (found.new.reason, found.new.value) == (ONE_UNIT, 1.0)
    same = of_actions(
        Choices(("q",), ("a",), np.zeros(9, int), np.zeros(9, int), np.ones(9), np.arange(9.0)),
        {"q": {"a": 1.0}},
        CounterfactualRequest(("snips",)),
    )
    assert same.estimates[0].difference.reason == NO_SPREAD
    assert same.estimates[0].difference.value == 0


def test_pages_that_the_new_system_does_not_answer_are_left_out_and_counted() -> None:
    pages = pages_of("q: A b", "q: b A", "r: a b")
    log = PlacedPages(pages, np.full((3, 2), 0.5))
    for found in (
        of_placements(log, {"q": ("b", "a")}, CounterfactualRequest()),
        of_lists(log, {"q": ("b", "a")}, CounterfactualRequest()),
        of_examination(pages, {"q": ("b", "a")}, np.array([1.0, 0.5]), CounterfactualRequest()),
    ):
        assert (found.pages, found.queries, dict(found.left_out)) == (2, 1, {NOT_RANKED: 1})
    with raises(InputError, "new", "log", "query"):
        of_placements(log, {"x": ("a",)}, CounterfactualRequest())


def test_the_propensity_of_a_list_is_one() -> None:
    log = PlacedPages(pages_of("q: A b", "q: b"), np.array([[0.5, 0.25], [0.5, 1.0]]))
    with raises(InputError, "log", "propensities", "--setting placement"):
        of_lists(log, {"q": ("b", "a")}, CounterfactualRequest())


def test_clipping_says_how_far_off_it_may_put_the_estimate() -> None:
    """Weights 4 and 0: 2 is cut off one of two pages, and the greatest reward is 3."""
    log = Choices(("q",), ("a", "b"), np.zeros(2, int), np.array([0, 1]), np.array([0.25, 0.75]), np.array([1.0, 3.0]))
    (found,) = of_actions(log, {"q": {"a": 1.0}}, CounterfactualRequest(("ips(clip=2)",))).estimates
    assert found.clipped is not None
    assert (found.clipped.limit, found.clipped.weights, found.clipped.bias) == (2, 1, 3.0)
    assert found.new.value == 1.0


def test_a_known_curve_is_said_to_be_taken_as_known() -> None:
    pages = pages_of("q: A b", "q: a B", "q: b A")
    found = of_examination(pages, {"q": ("b", "a")}, np.array([1.0, 0.5]), CounterfactualRequest(("dr", "ips")))
    assert found.notes == (KNOWN_CURVE, EQUAL_DR)
    dr, ips = found.estimates
    assert dr.new.value == pytest.approx(ips.new.value)


def test_the_error_of_a_learned_curve_is_in_the_interval() -> None:
    """Two ranks by hand: document a is clicked on 40 of 100 pages at rank 1, on 10 of 50 at rank 2; always rank 1 now.

    Every page is worth clicks over looks: with a ratio e of 1/2 that is (40 + 10 / e) / 150. Its derivative by the
    logarithm of e is -(10 / e) / 150.
    """
    pages = pages_of(*["q: A x"] * 40, *["q: a x"] * 60, *["q: x A"] * 10, *["q: x a"] * 40)
    found = proportions(pages)
    known = of_examination(pages, {"q": ("a", "x")}, found.values, CounterfactualRequest(("ips",))).estimates[0].new
    learned = of_examination(pages, {"q": ("a", "x")}, found, CounterfactualRequest(("ips",))).estimates[0].new
    assert isinstance(known, MeanReward)
    assert isinstance(learned, MeanReward)
    assert known.value == learned.value == pytest.approx(60 / 150)
    worth = np.array([1.0] * 40 + [0.0] * 60 + [2.0] * 10 + [0.0] * 40)
    pulled = (worth - worth.mean()) / 150 - 20 / 150 * found.influences[:, 1]
    assert learned.error == pytest.approx(math.sqrt((pulled**2).sum() * 150 / 149), rel=1e-6)
    # With the curve of the same log all this comes to the rate at rank 1: 40 of 100.
    assert learned.error == pytest.approx(math.sqrt(0.4 * 0.6 / 100), rel=0.02)


def test_pages_that_are_left_out_still_teach_the_curve() -> None:
    """Pages of r, which the run does not rank, are in the error of the curve and not in the value."""
    of_q = ["q: A x"] * 40 + ["q: a x"] * 60 + ["q: x A"] * 10 + ["q: x a"] * 40
    pages = pages_of(*of_q, *["r: B y", "r: y B", "r: b y", "r: y b"] * 15)
    curve = proportions(pages)
    found = of_examination(pages, {"q": ("a", "x")}, curve, CounterfactualRequest(("ips",)))
    assert (found.pages, found.left_out[NOT_RANKED]) == (150, 60)
    worth = np.array([1.0] * 40 + [0.0] * 60 + [1 / curve.values[1]] * 10 + [0.0] * 40)
    pulled = -10 / curve.values[1] / 150 * curve.influences[:, 1]
    pulled[:150] += (worth - worth.mean()) / 150
    new = found.estimates[0].new
    assert isinstance(new, MeanReward)
    assert new.value == pytest.approx(worth.mean())
    assert new.error == pytest.approx(math.sqrt((pulled**2).sum() * 210 / 209), rel=1e-6)


def test_only_ranks_that_the_curve_knows_count() -> None:
    pages = pages_of("q: A b C", "q: b A c", "q: a B c")
    found = of_examination(pages, {"q": ("b", "a", "c")}, np.array([1.0, 0.5]), CounterfactualRequest(("ips",)))
    assert "only ranks 1 to 2 count" in found.notes[1]
    assert found.logged.value == 1.0
    cut = of_examination(
        pages, {"q": ("b", "a", "c")}, np.array([1.0, 0.5, 0.3]), CounterfactualRequest(("ips",)), depth=1
    )
    assert (cut.logged.value, cut.notes) == (pytest.approx(1 / 3), (KNOWN_CURVE,))
    # Rank 1 of the new ranking is b, which was clicked once, at rank 2: 1 / 0.5 over 3 pages.
    assert cut.estimates[0].new.value == pytest.approx(2 / 3)


def test_what_cannot_be_asked() -> None:
    with raises(UsageError, "confidence", "1.5"):
        of_actions(logged(), POLICY, CounterfactualRequest(level=1.5))
    with raises(UsageError, "ips", "twice"):
        of_actions(logged(), POLICY, CounterfactualRequest(("ips", "ips")))
    with raises(UnknownName) as unknown:
        of_actions(logged(), POLICY, CounterfactualRequest(("snip",)))
    assert (unknown.value.name, unknown.value.near) == ("snip", ["snips"])


def test_the_same_seed_gives_the_same_bytes() -> None:
    log = logged()
    first, second, third = (of_actions(log, POLICY, CounterfactualRequest(("dr",), seed=seed)) for seed in (1, 1, 2))
    assert first == second
    assert first.estimates != third.estimates


def test_the_session_of_a_page_reaches_the_estimate() -> None:
    pages = pages_of(*["q: A b", "q: b A", "q: a B", "q: b a"] * 10)
    whole = Impressions(
        pages.pairs, pages.shown, pages.lengths, pages.clicks, pages.numbers, np.arange(40) // 4, pages.dropped
    )
    found = of_examination(whole, {"q": ("b", "a")}, np.array([1.0, 0.5]), CounterfactualRequest(("ips",)))
    assert (found.unit, found.units) == ("session", 10)
