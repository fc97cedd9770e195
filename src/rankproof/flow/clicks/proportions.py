"""Proportions of examination: how much more users look at one rank than at another, from pairs that stood at both.

Where a click needs a look, which depends on the rank, and a liking, which depends on the pair, the clicks of one pair
spread over its ranks as showings times examination, whatever the liking is. So each pair compares the ranks where it
stood, and no prior is needed: this is Poisson regression with an effect for each pair, found by proportional fitting.
Its estimates are consistent however many pairs there are and however clicks depend on each other on a page, as long as
the mean is right (Wooldridge, Distribution-free estimation of some nonlinear panel data models, Journal of
Econometrics 90, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.clickmodels._contract import Floats
from rankproof.clickmodels._product import Cells, by_rank, cells_of
from rankproof.records import kept
from rankproof.records.impressions import Impressions

# Fitting ends when no logarithm changes by more than this, or after so many passes: then pairs hardly tell anything.
STILL = 1e-10
PASSES = 5_000
# A residual of a pair with few clicks is too small, since the pair's own effect was fitted to it. It is divided by the
# root of 1 minus its leverage, which may not come nearer to 1 than this (as HC2 of MacKinnon and White, 1985).
LEVERAGE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Proportions:
    """Examination by rank over that of rank 1, and what each page adds to its error.

    tied         whether pairs compare the rank with rank 1, directly or over other ranks; elsewhere nothing is known
    values       1 at rank 1; 0 where the rank is not tied
    influences   pages x ranks: an error of the logarithm is the sum over pages, which are independent of each other
                 or are summed by session first; 0 at rank 1 and where the rank is not tied
    telling      clicks that compare the rank with others: a click counts by the share of its pair's clicks that was
                 expected at other ranks
    """

    tied: NDArray[np.bool_]
    values: Floats
    influences: Floats
    telling: Floats


def proportions(pages: Impressions) -> Proportions:
    """The proportions that the clicks of these pages tell."""
    ranks = pages.ranks
    cells = cells_of(pages, by_rank, ranks)
    tied = _tied(cells, len(pages.pairs), ranks)
    stays = tied[cells.slots]
    cells = Cells(cells.pairs[stays], cells.slots[stays], cells.shown[stays], cells.clicked[stays])
    looked, liked = _fitted(cells, len(pages.pairs), ranks)
    expected = np.zeros((len(pages.pairs), ranks))
    expected[cells.pairs, cells.slots] = cells.shown * liked[cells.pairs] * looked[cells.slots]
    of_pairs, of_ranks = expected.sum(axis=1), expected.sum(axis=0)
    shares = expected / np.where(of_pairs > 0, of_pairs, 1.0)[:, None]
    curvature = np.diag(of_ranks) - shares.T @ expected
    free = np.flatnonzero(tied)[1:]
    inverse = np.linalg.pinv(curvature[np.ix_(free, free)]) if len(free) else curvature[:0, :0]
    influences = kept.zeros((len(pages), ranks), np.float64)
    start = 0
    for piece in pages.pieces():
        at = slice(start, start + len(piece))
        counted = piece.there & tied
        mean = np.where(counted, liked[piece.shown] * looked, 0.0)
        leverage = _over(mean, of_pairs[piece.shown]) + _over(mean, of_ranks)
        away = np.where(counted, piece.clicks - mean, 0.0) / np.sqrt(1 - np.minimum(leverage, LEVERAGE))
        scores = away.copy()
        for rank in range(ranks):
            scores -= away[:, rank, None] * shares[piece.shown[:, rank]]
        influences[at, free] = scores[:, free] @ inverse
        kept.let_go(influences[at])
        start = at.stop
    return Proportions(tied, looked, influences, np.diag(curvature).copy())


def _over(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """A share; 0 where there is nothing to share."""
    return np.asarray(part / np.where(whole > 0, whole, np.inf))


def _fitted(cells: Cells, n_pairs: int, ranks: int) -> tuple[Floats, Floats]:
    """Examination by rank, that of rank 1 being 1, and liking by pair: sums of both agree with the clicks."""
    looked = np.zeros(ranks)
    looked[np.unique(cells.slots)] = 1.0
    of_ranks = np.bincount(cells.slots, cells.clicked, ranks)
    of_pairs = np.bincount(cells.pairs, cells.clicked, n_pairs)
    there = looked > 0
    for _ in range(PASSES):
        liked = _over(of_pairs, np.bincount(cells.pairs, cells.shown * looked[cells.slots], n_pairs))
        found = _over(of_ranks, np.bincount(cells.slots, cells.shown * liked[cells.pairs], ranks))
        found /= found[0]
        moved = float(np.abs(np.log(found[there] / looked[there])).max())
        looked = found
        if moved <= STILL:
            break
    return looked, _over(of_pairs, np.bincount(cells.pairs, cells.shown * looked[cells.slots], n_pairs))


def _tied(cells: Cells, n_pairs: int, ranks: int) -> NDArray[np.bool_]:
    """Ranks that reach rank 1 and are reached from it; j reaches k by a pair that stood at j and was clicked at k.

    As for paired comparisons (Ford, Solution of a ranking problem from binary comparisons, 1957): without both ways the
    clicks would be foretold best by a proportion of 0 or without bound.
    """
    stood = np.zeros((n_pairs, ranks), dtype=np.bool_)
    stood[cells.pairs, cells.slots] = True
    hit = np.zeros((n_pairs, ranks), dtype=np.bool_)
    hit[cells.pairs, cells.slots] = cells.clicked > 0
    reaches = (stood.T.astype(np.float64) @ hit.astype(np.float64)) > 0
    tied = _from_first(reaches) & _from_first(reaches.T)
    tied[0] = True
    return tied


def _from_first(reaches: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = np.zeros(len(reaches), dtype=np.bool_)
    found[0] = True
    while True:
        more = found | reaches[found].any(axis=0)
        if (more == found).all():
            return found
        found = more
