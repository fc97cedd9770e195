"""Impressions: what they refuse to hold, and parts of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.raising import raises

from rankproof.online.impressions import Impressions
from rankproof.testing.statistics import pages_of

NONE = np.zeros((1, 2), dtype=np.bool_)


def one_page(docs: list[int], length: int = 2, clicks: np.ndarray = NONE, query: int = 0) -> Impressions:
    """A page of query q with documents from a and b."""
    return Impressions.of(("q",), ("a", "b"), np.array([query]), np.array([docs]), np.array([length]), clicks)


def test_a_page_in_columns() -> None:
    pages = one_page([1, 0])
    assert [pages.pairs.named(pair) for pair in pages.shown[0]] == [("q", "b"), ("q", "a")]
    assert (len(pages), pages.ranks, len(pages.pairs)) == (1, 2, 2)
    assert one_page([1, 0], length=1).there.tolist() == [[True, False]]
    assert len(one_page([1, 0], length=1).pairs) == 1


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (lambda: one_page([0, 0]), ("document", "twice")),
        (lambda: one_page([0, 2]), ("document", 2, "ids")),
        (lambda: one_page([0, 1], query=1), ("query", 1, "ids")),
        (lambda: one_page([0, 1], length=3), ("page", 1, 2)),
        (lambda: one_page([0, 1], length=0), ("page", 1, 2)),
        (lambda: one_page([0, 1], length=1, clicks=np.array([[False, True]])), ("click", "end")),
        (lambda: one_page([0, 1], clicks=np.zeros((1, 3), dtype=np.bool_)), ("clicks", (1, 3), (1, 2))),
        (lambda: one_page([0, 1]).take(np.array([False])), ("page", "rank")),
        (lambda: replace(one_page([0, 1]), shown=np.array([[0, 9]])), ("page", "pair")),
        (lambda: replace(one_page([0, 1]), numbers=np.arange(3)), ("numbers", (3,), 1)),
    ],
)
def test_what_cannot_be(make, values: tuple[object, ...]) -> None:
    with raises(ValueError, *values):
        make()


def test_the_same_number_below_the_end_of_a_page_is_no_repeat() -> None:
    """Places below the end hold document 0, which may also stand on the page."""
    assert pages_of("q: a b c", "q: a").lengths.tolist() == [3, 1]


def test_a_part_keeps_the_pairs_and_rows_may_repeat() -> None:
    pages = pages_of("q: A b", "r: c D", "q: b a")
    part = pages.take(np.array([2, 2]))
    assert part.pairs is pages.pairs
    assert part.numbers.tolist() == [2, 2]
    assert part.clicks.tolist() == [[False, False]] * 2
