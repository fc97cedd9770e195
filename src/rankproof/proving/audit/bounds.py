"""What a value can be where its definition, or what its documents are worth, is not stated.

A report that says nDCG@10 does not say what a grade is worth, nor which grades there are. For a placement of the
relevant documents the least and the greatest value over all of them are known in closed form:

- Let the relevant documents stand at ranks r1 < r2 < ... < rm, d be the discount, and the gains be any numbers from 0
  on. Moving greater gains up never lowers nDCG, so the greatest value has gains that fall with the rank. These are
  sums of steps (equal gains for the first j, 0 for the others), and a ratio of sums lies between the ratios of their
  terms: the greatest nDCG is the greatest of (d(r1) + ... + d(rj)) / (d(1) + ... + d(j)).
- Likewise the least nDCG has gains that rise with the rank: the least ratio for the last j documents. With a relevant
  document that is not ranked it is 0, since that document may be worth more than all others.
- ERR is at most 1 / r1, where the first document satisfies everybody; nERR at most the greatest of j / rj, since a
  reader who stops at the j-th document stops at rank j in the ideal order.
- P over the documents returned is at most the greatest of j / rj; AP over the relevant documents found is at most
  the greatest mean of the first j precisions.

All of these rise when documents move up: the bounds hold for every ranking of a shape by its best and its worst one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.gain import discount
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.pools import Grades
from rankproof.proving.audit.rankings import Ranking, computed

# From the ranks of the relevant documents within the cutoff, ascending, to an end of the value; a floor also takes
# how many relevant documents there are in all.
Ceiling = Callable[[Sequence[int]], float]
Floor = Callable[[Sequence[int], int], float]


@dataclass(frozen=True, slots=True)
class OpenBound:
    """The least and the greatest value over several definitions, or over everything that documents may be worth.

    definitions   the value may be that of any of these
    cutoff        the rank that ceiling and floor look down to; None for all
    ceiling       a greatest value beyond those of the definitions
    floor         the least value, in place of theirs
    """

    definitions: tuple[Variant, ...]
    cutoff: int | None
    ceiling: Ceiling | None = None
    floor: Floor | None = None

    def ends(
        self,
        worst: Sequence[Ranking],
        best: Sequence[Ranking],
        ways: Sequence[Grades],
        tables: tuple[JudgedTable, JudgedTable],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least values by the worst ranking of each shape, and the greatest by the best; `tables` has both."""
        lows, highs = np.full(len(ways), np.inf), np.zeros(len(ways))
        if self.definitions:
            lows = computed(tables[0], self.definitions).min(axis=1)
            highs = computed(tables[1], self.definitions).max(axis=1)
        if self.ceiling is not None:
            highs = np.maximum(highs, [self.ceiling(self._seen(ranking)) for ranking in best])
        if self.floor is not None:
            rows = zip(worst, ways, strict=True)
            lows = np.array([self.floor(self._seen(ranking), len(way)) for ranking, way in rows])
        return np.minimum(lows, highs), highs

    def differs(self, worst: Ranking, best: Ranking) -> bool:
        """Whether the two look different down to the cutoff; where they do not, no part of the shape does."""
        return self._within(worst) != self._within(best)

    def _seen(self, ranking: Ranking) -> list[int]:
        return [rank for rank, _ in self._within(ranking)]

    def _within(self, ranking: Ranking) -> Ranking:
        """What stands down to the cutoff."""
        if self.cutoff is None or not ranking or ranking[-1][0] <= self.cutoff:
            return ranking
        return ranking[: bisect_right(ranking, self.cutoff, key=itemgetter(0))]


def nothing(ranks: Sequence[int], relevant: int) -> float:
    """0, whatever was found: the documents found may be worth next to nothing."""
    return 0.0


def share_returned(ranks: Sequence[int]) -> float:
    """The greatest j / rj."""
    return max((j / rank for j, rank in enumerate(ranks, start=1)), default=0.0)


def first_reciprocal(ranks: Sequence[int]) -> float:
    """1 / r1."""
    return 1.0 / ranks[0] if ranks else 0.0


def mean_precision(ranks: Sequence[int]) -> float:
    """The greatest mean of the first j precisions."""
    sums = accumulate(j / rank for j, rank in enumerate(ranks, start=1))
    return max((total / j for j, total in enumerate(sums, start=1)), default=0.0)


def best_gains_first(kind: str, ranks: Sequence[int]) -> float:
    """The greatest nDCG over all gains."""
    if not ranks:
        return 0.0
    reached, ideal = _discounts(kind, ranks)
    return float(np.max(np.cumsum(reached) / np.cumsum(ideal)))


def best_gains_last(kind: str, ranks: Sequence[int], relevant: int) -> float:
    """The least nDCG over all gains."""
    if not ranks or len(ranks) < relevant:
        return 0.0
    reached, ideal = _discounts(kind, ranks)
    return float(np.min(np.cumsum(reached[::-1]) / np.cumsum(ideal)))


def _discounts(kind: str, ranks: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return 1.0 / discount(np.array(ranks), kind), 1.0 / discount(np.arange(1, len(ranks) + 1), kind)


@lru_cache(maxsize=256)
def ungraded(variant: Variant) -> OpenBound | None:
    """A measure of grades where these are not known; None for one that only asks whether a document is relevant."""
    name, k = variant.measure.name, variant.k
    if name == "nDCG":
        kind = variant["discount"]
        return OpenBound((), k, partial(best_gains_first, kind), partial(best_gains_last, kind))
    if name == "ERR":
        return OpenBound((), k, first_reciprocal, nothing)
    if name == "nERR":
        return OpenBound((), k, share_returned, nothing)
    return None


@lru_cache(maxsize=256)
def open_scale(variant: Variant, tops: tuple[int, ...]) -> OpenBound | None:
    """ERR and nERR of known grades where the top of the scale is not: one of `tops`, or above all of them.

    The greatest grade of the queries that count is the least top that a scale can have.
    """
    if variant.values.get("max_grade", "no scale") is not None:
        return None
    # The higher the top, the less likely a reader stops: ERR falls towards 0.
    if variant.measure.name == "ERR":
        return OpenBound(tuple(_with(variant, max_grade=top) for top in tops or (1,)), variant.k, None, nothing)
    return OpenBound((), variant.k, share_returned, nothing)


@lru_cache(maxsize=256)
def undefined_denominator(variant: Variant) -> OpenBound | None:
    """P, R, AP and RR under every definition that their pages list; None for a measure that has only one."""
    name, k = variant.measure.name, variant.k
    if name == "P":
        return OpenBound((_with(variant, denominator="k"),), k, share_returned)
    if name == "R":
        return OpenBound(tuple(_with(variant, denominator=d) for d in ("relevant", "min_k")), k)
    if name == "AP":
        definitions = [_with(variant, denominator=d) for d in ("relevant", "min_k")]
        return OpenBound((*definitions, *_cut(definitions[0])), k, mean_precision)
    if name == "RR" and k is None:
        return OpenBound((variant, *_cut(variant)), k)
    return None


def _with(variant: Variant, **values: object) -> Variant:
    return Variant(variant.measure, {**variant.values, **values}, variant.at)


def _cut(variant: Variant) -> tuple[Variant, ...]:
    """A measure of whole rankings may have been taken at some depth: at the first rank it is least."""
    return () if variant.k is not None else (Variant(variant.measure, variant.values, 1),)
