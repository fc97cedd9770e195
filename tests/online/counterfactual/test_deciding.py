"""Logged pages as decisions, in each setting: weights, cells and what is wanted, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.online.counterfactual.estimators import with_predicted_rewards
from rankproof.online.counterfactual.records import Choices, PlacedPages
from rankproof.online.counterfactual.settings import (
    choices_of_lists,
    decisions_by_examination,
    decisions_of_actions,
    decisions_of_placements,
)
from rankproof.testing.statistics import pages_of, valued


def choices(**more: object) -> Choices:
    """Query q chose a, b, a; query r chose a."""
    columns = {
        "queries": np.array([0, 0, 0, 1]),
        "actions": np.array([0, 1, 0, 0]),
        "propensities": np.array([0.5, 0.25, 0.5, 1.0]),
        "rewards": np.array([1.0, 2.0, 0.0, 4.0]),
    }
    return Choices(("q", "r"), ("a", "b"), **{**columns, **more})


def test_an_action_weighs_its_new_probability_over_the_logged_one() -> None:
    found = decisions_of_actions(choices(), {"q": {"a": 0.25, "b": 0.75}, "r": {"a": 1.0}})
    assert found.weights.tolist() == [0.5, 3.0, 0.5, 1.0]
    assert found.cells.tolist() == [0, 1, 0, 2]  # a for r is another decision than a for q
    # (0.5 x 1 + 3 x 2 + 0.5 x 0 + 1 x 4) / 4; self-normalized over 5.
    assert valued("ips", found) == pytest.approx(10.5 / 4)
    assert valued("snips", found) == pytest.approx(10.5 / 5)


def test_an_action_that_was_never_logged_for_the_query_has_a_cell_of_its_own() -> None:
    found = decisions_of_actions(choices(), {"q": {"c": 1.0}, "r": {"b": 0.5, "a": 0.5, "c": 0.0}})
    assert found.weights.tolist() == [0, 0, 0, 0.5]
    assert found.target.cells.tolist() == [3, 4, 2]
    assert found.shown.tolist() == [2, 1, 1, 0, 0]


def test_lists_count_where_they_are_the_same() -> None:
    """The second page is the new list; the first has another order, and the third is shorter and the same."""
    pages = pages_of("q: a B c", "q: b A C", "q: b", "r: a")
    log = PlacedPages(pages, np.full(pages.shown.shape, 0.25))
    made, policy = choices_of_lists(log, {"q": ("b", "a", "c"), "r": ("z",)})
    found = decisions_of_actions(made, policy)
    assert found.weights.tolist() == [0, 4, 4, 0]
    assert found.rewards.tolist() == [1, 2, 0, 0]
    # What q wants was shown at both lengths; what r wants was not.
    assert found.shown[found.target.cells].tolist() == [1, 1, 0]


def test_a_document_at_a_rank_weighs_where_the_new_ranking_has_it_there() -> None:
    pages = pages_of("q: a B", "q: b A", "q: B c")
    found = decisions_of_placements(
        PlacedPages(pages, np.array([[0.5, 0.5], [0.25, 0.5], [0.25, 0.2]])), {"q": ("b", "c", "a")}, 2
    )
    assert found.weights.tolist() == [0, 0, 4, 0, 4, 5]
    assert found.rewards.tolist() == [0, 1, 0, 1, 1, 0]
    assert found.logged.tolist() == [1, 1, 1]
    # Rank 1: (4 x 0 + 4 x 1) / 3 pages; rank 2: nothing. Normalized: 4 / 8 and 0 / 5.
    assert valued("ips", found) == pytest.approx(4 / 3)
    assert valued("snips", found) == pytest.approx(0.5)


def test_ranks_below_the_depth_do_not_count() -> None:
    pages = pages_of("q: a B", "q: B a")
    found = decisions_of_placements(PlacedPages(pages, np.full((2, 2), 0.5)), {"q": ("b", "a")}, 1)
    assert found.logged.tolist() == [0, 1]
    assert found.weights.tolist() == [0, 2]


def test_a_moved_document_weighs_its_new_look_over_its_old_one() -> None:
    """Users look at rank 2 half as often: b is moved up and counts double, a moves down and counts half."""
    pages = pages_of("q: A B", "q: a B")
    found = decisions_by_examination(pages, {"q": ("b", "a")}, 2)(np.array([1.0, 0.5]))
    assert found.weights.tolist() == [0.5, 2, 0.5, 2]
    assert valued("ips", found) == pytest.approx((0.5 + 2 + 2) / 2)
    # By pairs: a has 1 click in 2 looks and gets 0.5; b has 2 clicks in 1 look and gets 1.
    assert valued("snips", found) == pytest.approx(0.5 * 0.5 + 1 * 2)


def test_a_ranking_that_changes_nothing_earns_what_was_earned() -> None:
    pages = pages_of("q: A B c", "q: a B c", "r: B a c")
    found = decisions_by_examination(pages, {"q": ("a", "b", "c"), "r": ("b", "a", "c")}, 3)(np.array([1.0, 0.5, 0.3]))
    assert found.weights.tolist() == [1.0] * 9
    for text in ("ips", "snips"):
        assert valued(text, found) == pytest.approx(4 / 3)
    assert valued("dr", with_predicted_rewards(found)) == pytest.approx(4 / 3)


def test_pages_that_show_a_document_stand_for_all_pages_of_the_query() -> None:
    """c stands on one page of two and was clicked there: it weighs double."""
    found = decisions_by_examination(pages_of("q: C", "q: a"), {"q": ("c",)}, 1)(np.array([1.0]))
    assert found.weights.tolist() == [2, 0]
    assert valued("ips", found) == valued("snips", found) == 1.0


def test_beliefs_come_from_other_folds_and_lean_to_the_mean() -> None:
    """Two units are two folds. Of page 0 page 1 is known: a earned 1 of 1 look, with 5 made-up looks of mean 1."""
    log = Choices(("q",), ("a", "b"), np.zeros(2, int), np.array([0, 0]), np.full(2, 0.5), np.array([0.0, 1.0]))
    found = with_predicted_rewards(decisions_of_actions(log, {"q": {"a": 0.5, "b": 0.5}}))
    assert found.believed is not None
    assert found.believed.rewards.tolist() == [1.0, 0.0]
    # b was never seen: the mean of all, which is that of the other page.
    assert found.believed.of_pages.tolist() == [1.0, 0.0]
    assert with_predicted_rewards(found).believed.of_pages.tolist() == found.believed.of_pages.tolist()


def test_a_belief_by_hand() -> None:
    """Ten units, five folds: each page is foretold by the eight pages of other folds."""
    rewards = np.array([1.0, 0, 1, 0, 1, 0, 1, 0, 1, 0])
    log = Choices(("q",), ("a", "b"), np.zeros(10, int), np.tile([0, 1], 5), np.full(10, 0.5), rewards)
    believed = with_predicted_rewards(decisions_of_actions(log, {"q": {"a": 1.0}}), seed=1).believed
    assert believed is not None
    dealt = np.random.default_rng(1).permutation(10) % 5
    for page in range(10):
        others = np.flatnonzero(dealt != dealt[page])
        same = [other for other in others if other % 2 == page % 2]
        mean = rewards[others].mean()
        assert believed.rewards[page] == pytest.approx((rewards[same].sum() + 5 * mean) / (len(same) + 5))


@pytest.mark.parametrize(
    ("more", "values"),
    [
        ({"propensities": np.array([0.5, 0.0, 0.5, 1.0])}, ["propensity", "0"]),
        ({"rewards": np.array([1.0, np.nan, 0.0, 0.0])}, ["reward", "finite"]),
        ({"actions": np.array([0, 1])}, ["actions", "(2,)", "4"]),
    ],
)
def test_choices_that_cannot_be(more: dict[str, object], values: list[str]) -> None:
    with raises(ValueError, *values):
        choices(**more)
