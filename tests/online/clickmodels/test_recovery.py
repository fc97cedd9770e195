"""Each model, shown pages of users who behave as it says, finds how they behave."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.online.clickmodels.worlds import LIKED, shuffled, truth

from rankproof.online.clickmodels import (
    cascade,
    coec,
    ctr,
    dependent_click,
    dynamic_bayesian,
    position_based,
    user_browsing,
)
from rankproof.online.clicks.simulate import draw_clicks

PRIOR = {"alpha": 1.0, "beta": 1.0, "passes": 200}
MODELS = {
    "ctr": ctr,
    "cascade": cascade,
    "dependent_click": dependent_click,
    "dynamic_bayesian": dynamic_bayesian,
    "position_based": position_based,
    "user_browsing": user_browsing,
}
# About 8,000 places for each pair: the standard error of a share is at most 0.006. Hidden looks make it larger.
PAGES, RANKS = 40_000, 5


def drawn(name: str):
    return draw_clicks(truth(name, RANKS), shuffled(PAGES, RANKS, seed=1), np.random.default_rng(2))


def test_the_models_that_fix_the_scale_find_attractiveness_itself() -> None:
    for name in ("ctr", "cascade", "dependent_click", "dynamic_bayesian"):
        found = MODELS[name].fit(drawn(name), PRIOR)
        assert np.abs(found.attractiveness - LIKED).max() < 0.035, name


def test_reading_on_after_a_click_is_found() -> None:
    found = dependent_click.fit(drawn("dependent_click"), PRIOR)
    # After a click on the last rank nobody sees what follows: it keeps the prior.
    assert found.goes_on[:4] == pytest.approx(np.linspace(0.8, 0.3, RANKS)[:4], abs=0.04)
    assert found.goes_on[4] == 0.5


def test_satisfaction_is_found() -> None:
    found = dynamic_bayesian.fit(drawn("dynamic_bayesian"), PRIOR)
    assert np.abs(found.satisfaction - LIKED[::-1]).mean() < 0.03


def test_the_position_based_model_finds_looks_and_likings_up_to_a_factor() -> None:
    found = position_based.fit(drawn("position_based"), PRIOR)
    looked = truth("position_based", RANKS).looked
    assert found.looked / found.looked[0] == pytest.approx(looked / looked[0], abs=0.02)
    assert found.attractiveness * found.looked[0] == pytest.approx(LIKED * looked[0], abs=0.03)


def test_the_user_browsing_model_finds_looks_after_each_last_click() -> None:
    found = user_browsing.fit(drawn("user_browsing"), PRIOR)
    looked = truth("user_browsing", RANKS).looked
    at = np.tril_indices(RANKS)
    assert (found.looked / found.looked[0, 0])[at] == pytest.approx(looked[at], abs=0.05)
    assert found.attractiveness * found.looked[0, 0] == pytest.approx(LIKED, abs=0.04)


def test_clicks_over_expected_orders_documents_where_places_were_shuffled() -> None:
    """On shuffled pages each rank has documents of the same quality, as the model assumes."""
    found = coec.fit(drawn("position_based"), {"weight": 1.0})
    assert found.worth == pytest.approx(LIKED / LIKED.mean(), abs=0.06)


@pytest.mark.parametrize("name", ["position_based", "user_browsing", "dependent_click", "dynamic_bayesian"])
@pytest.mark.parametrize("world", ["position_based", "cascade", "user_browsing"])
def test_no_pass_makes_the_posterior_less(name: str, world: str) -> None:
    pages = draw_clicks(truth(world, 4), shuffled(500, 4, seed=3, shortest=2), np.random.default_rng(4))
    trail = MODELS[name].fit(pages, {"alpha": 0.7, "beta": 1.8, "passes": 60}).trail
    assert len(trail) == 60
    assert all(after >= before - 1e-9 for before, after in pairwise(trail))
    assert trail[-1] > trail[0]


def test_more_pages_of_one_kind_make_no_more_cells_and_sorting_counts_as_counting_does() -> None:
    from rankproof.online.clickmodels._product import by_rank, cells_of

    pages = draw_clicks(truth("position_based", 4), shuffled(50, 4, seed=3, shortest=2), np.random.default_rng(4))
    few, wide = cells_of(pages, by_rank, 4), cells_of(pages, by_rank, 10_000_000)
    assert few.shown.sum() == pages.there.sum()
    for name in ("pairs", "slots", "shown", "clicked"):
        assert np.array_equal(getattr(few, name), getattr(wide, name))
