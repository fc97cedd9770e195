"""Clicks: pages read with counts of what was dropped, and models scored on held-out pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.online.clickmodels.worlds import shuffled, truth
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import InputError, UnknownName, Unreadable, UsageError
from rankproof.online.clickmodels.ctr import ClickThrough
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.clicks.logs.faults import NOT_SHOWN, REPEATED, TWICE
from rankproof.online.clicks.read import pages_of_text, read_pages
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.clicks.study import even_and_odd, fit_models, score
from rankproof.online.impressions import Impressions
from rankproof.testing.statistics import pages_of

TEXT = "7_1\ta,b,c : b , a , b , z; 7_1\tb,a :; \n8_1\ta,b,a : a; 8_1\tc,a : c;\n"


def test_pages_are_read_and_what_is_dropped_is_counted() -> None:
    pages = pages_of_text(TEXT)
    assert dict(pages.dropped) == {REPEATED: 1, NOT_SHOWN: 1, TWICE: 1}
    assert pages.clicks.tolist() == [[True, True, False], [False, False, False], [True, False, False]]
    assert pages.lengths.tolist() == [3, 2, 2]
    assert pages.numbers.tolist() == [0, 1, 3]
    assert [pages.pairs.named(pair) for pair in pages.shown[2, :2]] == [("8_1", "c"), ("8_1", "a")]


def test_the_same_document_of_two_queries_is_two_pairs() -> None:
    assert len(pages_of_text("7\ta : a; 7\ta :\n8\ta :").pairs) == 2


@pytest.mark.parametrize("page", ["a,b : a", "7\ta,b", "7\ta,,b : a", "\ta : a", "7\t : a"])
def test_what_is_no_page_is_refused_with_its_line(page: str) -> None:
    with raises(InputError, "log", "line 2", "page 1", repr(page.strip())):
        pages_of_text(f"7\ta : a;\n{page};", "log")


def test_a_text_without_pages_and_a_file_that_is_not_there() -> None:
    with raises(InputError, "log", "no page", "right file"):
        pages_of_text("\n ; \n", "log")
    with raises(Unreadable, "nowhere.txt"):
        read_pages(Path("nowhere.txt"))


def test_perplexity_by_hand() -> None:
    """Rank 1: foretold 0.5 twice, so 2. Rank 2, one page only: a skip foretold 0.8, so 1 / 0.8."""
    fitted = ClickThrough(np.array([0.5, 0.2]))
    found = score(fitted, pages_of("q: A b", "q: a"))
    assert found.marginal.by_rank == pytest.approx((2.0, 1.25))
    assert found.marginal.mean == pytest.approx(1.625)
    assert found.conditional == found.marginal
    # Two pages: ln 0.5 + ln 0.8, and ln 0.5.
    assert found.log_likelihood == pytest.approx((2 * np.log(0.5) + np.log(0.8)) / 2)
    assert found.floored == 0


def test_what_a_model_holds_impossible_counts_with_the_floor() -> None:
    found = score(PositionBased(np.array([0.5, 0.5]), np.array([1.0, 0.0])), pages_of("q: a B"))
    assert found.floored == 1
    assert found.marginal.by_rank == pytest.approx((2.0, 1e6))


def test_even_pages_teach_and_odd_pages_test() -> None:
    train, test = even_and_odd(pages_of_text(TEXT))
    assert (train.numbers.tolist(), test.numbers.tolist()) == ([0], [1, 3])
    with raises(InputError, "even", "odd"):
        even_and_odd(train)


def drawn_from(world: str) -> Impressions:
    """Where good documents tend to stand on top: on shuffled pages clicks over expected is position-based too."""
    return draw_clicks(truth(world, 5), shuffled(20_000, 5, seed=1, sorted_by=0.7), np.random.default_rng(3))


@pytest.mark.parametrize("world", ["user_browsing", "dynamic_bayesian", "dependent_click"])
def test_the_model_that_made_the_clicks_fits_best(world: str) -> None:
    fits = fit_models(drawn_from(world))
    assert fits.best.text == world
    assert (fits.training, fits.testing) == (10_000, 10_000)


def test_where_looks_depend_on_the_rank_alone_the_browsing_model_is_as_good_and_no_other() -> None:
    """It has the position-based model within it, so that chance decides which of the two is a hair ahead."""
    held_out = {one.text: one.held_out.log_likelihood for one in fit_models(drawn_from("position_based")).tried}
    own = held_out.pop("position_based")
    assert held_out.pop("user_browsing") == pytest.approx(own, abs=0.002)
    assert own > max(held_out.values())


def test_models_are_asked_by_name_and_once() -> None:
    pages = pages_of_text(TEXT)
    assert [one.text for one in fit_models(pages, ["ctr(alpha=2.0)", "ctr"]).tried] == ["ctr(alpha=2.0)", "ctr"]
    with raises(UsageError, "ctr", "twice"):
        fit_models(pages, ["ctr", "ctr"])
    with raises(UnknownName) as unknown:
        fit_models(pages, ["ubm"])
    assert (unknown.value.name, unknown.value.near) == ("ubm", [])


@needs_shared_data
def test_real_pages_are_foretold_as_well_as_another_implementation_does() -> None:
    """A research implementation measured a marginal perplexity of 1.384 for both models on this split."""
    pages = read_pages(SHARED / "clicks" / "yandex_sample.txt")
    assert len(pages) == 35_064
    assert (pages.dropped[NOT_SHOWN], pages.dropped[REPEATED], int(pages.clicks.sum())) == (417, 7_201, 42_703)
    fits = fit_models(pages)
    found = {one.text: one.held_out for one in fits.tried}
    assert found["position_based"].marginal.mean == pytest.approx(1.384, abs=0.001)
    assert found["user_browsing"].marginal.mean == pytest.approx(1.384, abs=0.001)
    assert fits.best.text == "user_browsing"
    assert (
        found["user_browsing"].conditional.mean < found["position_based"].conditional.mean < found["ctr"].marginal.mean
    )
