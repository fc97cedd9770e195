"""The contract of the clickmodels shelf: what every click model promises, run over every one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.contracts.items import check_imports, check_page, check_params, files_of
from tests.online.clickmodels.worlds import shuffled, truth

from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.contract import ClickModel, Fitted
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.impressions import Impressions

ITEMS: dict[str, ClickModel] = dict(shelf.offered("clickmodels"))
NAMES = ("cascade", "coec", "ctr", "dependent_click", "dynamic_bayesian", "position_based", "user_browsing")
WITHOUT_LOOKS = {"ctr"}
every_model = pytest.mark.parametrize("name", NAMES)


def log(seed: int = 5) -> Impressions:
    """Pages of two to four documents, clicked by users of the browsing model."""
    return draw_clicks(truth("user_browsing", 4), shuffled(300, 4, seed, shortest=2), np.random.default_rng(seed))


def fitted(name: str, pages: Impressions) -> Fitted:
    asked = read_configured("clickmodels", name)
    return asked.item.fit(pages, asked.values)


def every_pattern(ranks: int) -> Impressions:
    """One page again and again, with every way to click it."""
    patterns = np.array(list(product([False, True], repeat=ranks)))
    first = shuffled(1, ranks, seed=9)
    return replace(first.take(np.zeros(len(patterns), dtype=np.int64)), clicks=patterns)


def test_every_item_is_in_a_group() -> None:
    assert set(NAMES) == set(ITEMS)
    assert {file.stem for file in files_of("clickmodels")} == set(ITEMS)


@pytest.mark.parametrize("file", files_of("clickmodels"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("clickmodels", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: ClickModel) -> None:
    check_params(item)


@every_model
def test_the_same_pages_in_another_order_teach_the_same(name: str) -> None:
    pages = log()
    one, other = fitted(name, pages), fitted(name, pages.take(np.arange(len(pages))[::-1]))
    assert np.array_equal(one.attractiveness, fitted(name, pages).attractiveness)
    assert one.attractiveness == pytest.approx(other.attractiveness, abs=1e-9)
    assert one.marginal(pages) == pytest.approx(other.marginal(pages), abs=1e-9)


@every_model
def test_all_are_probabilities_on_pages_of_any_length(name: str) -> None:
    pages = log()
    found = fitted(name, pages)
    assert found.attractiveness.shape == (len(pages.pairs),)
    looked = found.examination(pages)
    assert (looked is None) == (name in WITHOUT_LOOKS)
    for chances in (found.attractiveness, found.conditional(pages), found.marginal(pages), looked):
        if chances is not None:
            assert np.isfinite(chances).all()
            assert chances.min() >= 0
            assert chances.max() <= 1


@every_model
def test_a_click_needs_a_look(name: str) -> None:
    found, pages = fitted(name, log()), log(6)
    looked = found.examination(pages)
    if looked is not None:
        assert found.marginal(pages) == pytest.approx(looked * found.attractiveness[pages.shown])


@every_model
def test_what_is_clicked_at_a_rank_and_below_does_not_change_its_chance(name: str) -> None:
    found, pages = truth(name, 4), every_pattern(4)
    chances = found.conditional(pages)
    for rank in range(4):
        above = [tuple(row) for row in pages.clicks[:, :rank]]
        for pattern in set(above):
            assert len({float(chances[i, rank]) for i, row in enumerate(above) if row == pattern}) == 1


@every_model
def test_chances_over_all_ways_to_click_sum_to_1_and_agree_with_the_chance_of_a_click_at_a_rank(name: str) -> None:
    found, pages = truth(name, 4), every_pattern(4)
    given = found.conditional(pages)
    of_pattern = np.where(pages.clicks, given, 1 - given).prod(axis=1)
    assert of_pattern.sum() == pytest.approx(1)
    assert of_pattern @ pages.clicks == pytest.approx(found.marginal(pages)[0])


@every_model
def test_a_pair_that_was_never_shown_in_training_has_what_the_prior_says(name: str) -> None:
    pages = log()
    others = pages.pairs.queries[pages.shown[:, 0]] != 0
    unseen = fitted(name, pages.take(others)).attractiveness[pages.pairs.queries == 0]
    assert len(np.unique(unseen)) == 1
    assert 0 < unseen[0] < 1


@every_model
def test_pages_that_nobody_clicked_are_no_trouble(name: str) -> None:
    pages = shuffled(20, 4, seed=1, shortest=1)
    found = fitted(name, pages)
    assert np.isfinite(found.conditional(pages)).all()
    assert np.isfinite(found.marginal(pages)).all()


def test_importing_the_shelf_loads_no_library() -> None:
    check_imports("clickmodels")
