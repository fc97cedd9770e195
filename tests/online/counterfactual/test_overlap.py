"""How far a log reaches, and whether its clicks depend on each other: by hand, and what is warned of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.online.counterfactual.test_estimates import POLICY, logged

from rankproof.kernel.estimate import NotEstimable
from rankproof.online.counterfactual.estimate import CounterfactualRequest, of_actions, of_examination
from rankproof.online.counterfactual.estimators import NO_SUPPORT
from rankproof.online.counterfactual.records import Choices, MeanReward
from rankproof.testing.statistics import pages_of


def test_overlap_by_hand() -> None:
    """Weights 2, 0, 2, 4/3: 16/3 squared over 88/9; expected are 4."""
    log = Choices(
        ("q",), ("a", "b"), np.zeros(4, int), np.array([0, 1, 0, 0]), np.array([0.5, 0.5, 0.5, 0.75]), np.arange(4.0)
    )
    found = of_actions(log, {"q": {"a": 1.0}}, CounterfactualRequest()).overlap
    assert found.effective == pytest.approx((16 / 3) ** 2 / (4 + 4 + 16 / 9))
    assert (found.largest, found.largest_share) == (2, pytest.approx(2 / (16 / 3)))
    assert (found.mean_weight, found.unsupported, found.absent) == (pytest.approx(4 / 3), 0, None)
    assert found.mean_p == pytest.approx(stats.ttest_1samp([2, 0, 2, 4 / 3], 1).pvalue)


def test_wrong_propensities_are_found_out() -> None:
    log = logged(2_000)
    wrong = Choices(log.query_ids, log.names, log.queries, log.actions, np.full(2_000, 0.5), log.rewards)
    assert any("weights average" in text for text in of_actions(wrong, POLICY, CounterfactualRequest()).warnings)
    assert of_actions(log, POLICY, CounterfactualRequest()).warnings == ()


def test_few_effective_pages_and_one_large_weight_are_warned_of() -> None:
    rare = np.array([0.01] + [0.99] * 60)
    log = Choices(("q",), ("a", "b"), np.zeros(61, int), np.array([0] + [1] * 60), rare, np.tile([1.0], 61))
    told = " ".join(of_actions(log, {"q": {"a": 0.5, "b": 0.5}}, CounterfactualRequest()).warnings)
    assert "below 100 intervals are too narrow" in told
    assert "one decision has 62.3% of all weight (its weight is 50.0)" in told  # 50 of 50 + 60 x 0.505


def test_no_support_is_not_estimable() -> None:
    found = of_actions(logged(), {"q": {"c": 1.0}}, CounterfactualRequest())
    for one in found.estimates:
        assert isinstance(one.new, NotEstimable)
        assert one.difference.reason == NO_SUPPORT
    assert found.overlap.unsupported == 1
    assert isinstance(found.logged, MeanReward)


def test_half_a_support_says_what_stands_in() -> None:
    (told,) = of_actions(logged(), {"q": {"a": 0.5, "c": 0.5}}, CounterfactualRequest()).warnings
    assert told.startswith("50.0% of what the new system would show was never logged")
    assert "0 in ips, the mean of the rest in snips, what its model says of anything in dr" in told


def test_documents_that_are_not_on_the_page() -> None:
    pages = pages_of(*["q: A b", "q: b a", "q: c B"] * 20)
    found = of_examination(pages, {"q": ("c", "a")}, np.array([1.0, 0.5]), CounterfactualRequest())
    # Of 1.5 wanted on each page, 0.5 is on the first and second, 1 on the third.
    assert found.overlap.absent == pytest.approx(1 - (0.5 + 0.5 + 1) / 4.5)
    assert found.overlap.unsupported == 0
    assert "pages that show it stand for all pages of the query" in found.notes[0]


def test_clicks_that_keep_each_other_away_by_hand() -> None:
    """One click on each page, on either of two documents: residuals 1/2 and -1/2, whose products are all -1/4.

    Twice -1/4 over 1/4 + 1/4 is -1: the number of clicks does not vary at all. Then no unit differs, and there is no
    test; with some pages of no click there is one.
    """
    looked = np.array([1.0, 1.0])
    same = of_examination(
        pages_of(*["q: A b", "q: a B"] * 20), {"q": ("a", "b")}, looked, CounterfactualRequest(("ips",))
    )
    assert same.dependence is None
    some = of_examination(
        pages_of(*["q: A b", "q: a B", "q: a b"] * 40), {"q": ("a", "b")}, looked, CounterfactualRequest(("ips",))
    )
    # Means 1/3: products of residuals are -2/9, -2/9 and 1/9; squares sum to 5/9, 5/9 and 2/9. 2 x -3/9 over 12/9.
    assert some.dependence is not None
    assert some.dependence.share == pytest.approx(-0.5)
    assert some.dependence.p_value < 1e-4
    assert "clicks of a page keep each other away (the number of clicks varies 50.0% less" in some.warnings[-1]


def test_clicks_that_go_together_are_noted() -> None:
    pages = pages_of(*["q: A B", "q: a b"] * 20, "q: A b")
    found = of_examination(pages, {"q": ("a", "b")}, np.array([1.0, 1.0]), CounterfactualRequest(("ips",)))
    assert found.dependence is not None
    assert found.dependence.share > 0.5
    assert "clicks of a page go together" in found.notes[0]


def test_a_single_choice_a_page_takes_nothing_for_independent() -> None:
    assert of_actions(logged(), POLICY, CounterfactualRequest()).dependence is None
