"""Counts of pairs at ranks teach the models that need no more exactly what pages teach them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clicks.fit_counts import RankCounts, fit_counts
from rankproof.online.impressions import Impressions


def made() -> Impressions:
    pages = 400
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 6, pages)
    docs = np.array([rng.permutation(9)[:5] for _ in range(pages)])
    clicks = (rng.random(docs.shape) < 0.4) & (np.arange(5) < lengths[:, None])
    queries = rng.integers(0, 7, pages)
    # Numbers in order of first appearance, as a reader gives them.
    order, there = np.arange(5) < lengths[:, None], docs.copy()
    _, docs_in_order = np.unique(docs[order], return_index=True)
    ids = docs[order][np.sort(docs_in_order)]
    there[order] = np.argsort(ids)[docs[order]]
    firsts = queries[np.sort(np.unique(queries, return_index=True)[1])]
    named = tuple(f"q{q}" for q in firsts)
    return Impressions.of(named, tuple(f"d{d}" for d in ids), np.argsort(firsts)[queries], there, lengths, clicks)


def counts_of(pages: Impressions) -> RankCounts:
    """The same pages, counted, in an order that means nothing."""
    cells: dict[tuple[str, str, int], list[int]] = {}
    for page in range(len(pages)):
        for rank in range(int(pages.lengths[page])):
            query, doc = pages.pairs.named(int(pages.shown[page, rank]))
            cell = cells.setdefault((query, doc, rank + 1), [0, 0, page])
            cell[0] += 1
            cell[1] += bool(pages.clicks[page, rank])
    keys = sorted(cells, key=lambda key: (key[1], key[2], key[0]))
    columns = np.array([cells[key] for key in keys])
    ranks = np.array([key[2] for key in keys])
    return RankCounts([k[0] for k in keys], [k[1] for k in keys], ranks, columns[:, 0], columns[:, 1], columns[:, 2])


@pytest.mark.parametrize("model", ["ctr", "ctr(alpha=2)", "position_based", "position_based(passes=7)"])
def test_counts_give_what_pages_give(model: str) -> None:
    pages = made()
    asked = read_configured("clickmodels", model)
    whole = asked.item.fit(pages, asked.values)
    found = fit_counts(counts_of(pages), model)
    assert found.pairs.query_ids == pages.pairs.query_ids
    assert found.pairs.doc_ids == pages.pairs.doc_ids
    assert found.fitted.attractiveness.tobytes() == whole.attractiveness.tobytes()
    assert found.fitted.trail == whole.trail
    assert found.shown.sum() == pages.lengths.sum()
    assert found.clicked.sum() == pages.clicks.sum()


def test_one_pair_by_hand() -> None:
    """One click on three showings at ranks 1 and 2, with the prior (1 + 1) / (3 + 2)."""
    counts = RankCounts(["q", "q"], ["d", "d"], np.array([2, 1]), np.array([1, 2]), np.array([0, 1]), np.array([4, 0]))
    assert fit_counts(counts, "ctr").fitted.attractiveness.tolist() == [0.4]


def test_other_models_need_pages() -> None:
    with raises(UsageError, "cascade", "ctr", "position_based"):
        fit_counts(counts_of(made()), "cascade")
