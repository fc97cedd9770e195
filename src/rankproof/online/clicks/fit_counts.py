"""Click models from counts: how often each pair stood at each rank, and how often it was clicked there.

Counts are additive: they can be made on many machines, and no page has to be kept. Two models need nothing else, and
learn from counts bit by bit what they learn from pages: queries and documents are numbered by first appearance, and
cells are in the same order. The other models need to know which clicks were made on the same page.

Counts add up, so that they can be made anywhere, piece by piece, and no page has to be kept. They are all that two
models need, and give them to the last bit what pages give: the numbers of queries and documents are those of first
appearance, and cells stand in the same order. The other models see which clicks came together on a page.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels._product import Cells, learn
from rankproof.online.clickmodels.contract import Fitted, Floats, rate
from rankproof.online.clickmodels.ctr import ClickThrough
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.impressions import Pairs

MODELS = ("ctr", "position_based")
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RankCounts:
    """One entry for each pair at each rank where it stood: of `queries[i]` and `docs[i]` at `ranks[i]`, from 1.

    first   the number of the first page on which it stood there; pages have one query each
    """

    queries: list[str]
    docs: list[str]
    ranks: Whole
    shown: Whole
    clicked: Whole
    first: Whole


@dataclass(frozen=True, slots=True, eq=False)
class CountedFit:
    """A model learned from counts: `fitted.attractiveness` is that of `pairs`; `shown`, `clicked` count their pages."""

    text: str
    pairs: Pairs
    fitted: Fitted
    shown: Whole
    clicked: Whole


def fit_counts(counts: RankCounts, model: str = "position_based") -> CountedFit:
    """A model by name or call, such as `position_based(passes=20)`."""
    chosen = read_configured("clickmodels", model)
    if chosen.item.name not in MODELS:
        raise UsageError(
            f"{chosen.item.name} needs whole pages and cannot be learned from counts. Models for counts: "
            f"{', '.join(MODELS)}."
        )
    pairs, cells = _cells(counts)
    ranks, n_pairs = int(counts.ranks.max()), len(pairs)
    shown: Floats = np.asarray(np.bincount(cells.pairs, cells.shown, n_pairs), dtype=np.float64)
    clicked: Floats = np.asarray(np.bincount(cells.pairs, cells.clicked, n_pairs), dtype=np.float64)
    fitted: Fitted
    if chosen.item.name == "ctr":
        fitted = ClickThrough(rate(clicked, shown, chosen.values))
    else:
        fit = learn(cells, n_pairs, ranks, chosen.values)
        fitted = PositionBased(fit.attractiveness, fit.examination, fit.trail)
    return CountedFit(chosen.text, pairs, fitted, shown.astype(np.int64), clicked.astype(np.int64))


def _cells(counts: RankCounts) -> tuple[Pairs, Cells]:
    query_ids, queries = _numbered(counts.queries, counts.first, counts.ranks)
    doc_ids, docs = _numbered(counts.docs, counts.first, counts.ranks)
    known, pair = np.unique(queries * len(doc_ids) + docs, return_inverse=True)
    order = np.lexsort((counts.ranks, pair))
    cells = Cells(
        pair[order],
        counts.ranks[order] - 1,
        counts.shown[order].astype(np.float64),
        counts.clicked[order].astype(np.float64),
    )
    return Pairs(query_ids, doc_ids, known // len(doc_ids), known % len(doc_ids)), cells


def _numbered(ids: list[str], first: Whole, ranks: Whole) -> tuple[tuple[str, ...], Whole]:
    """The distinct ids in order of first appearance, from page to page and from rank to rank; and each id's number."""
    numbers: dict[str, int] = {}
    for at in np.lexsort((ranks, first)).tolist():
        numbers.setdefault(ids[at], len(numbers))
    return tuple(numbers), np.array([numbers[one] for one in ids], dtype=np.int64)
