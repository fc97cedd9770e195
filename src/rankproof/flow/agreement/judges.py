"""How far judges agree: two of them, or all together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.flow.agreement import cohen, fleiss, krippendorff
from rankproof.flow.agreement.leaving import METHOD, Scale, Sums, Value, by_query, divided, figure, mean
from rankproof.records.agreement import Agreement, Confusion, Found, PairAgreement, Ratings
from rankproof.records.estimate import NotEstimable

LEVEL = 0.95
SAME = "same_grade"
KAPPAS = {"kappa": "none", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
ALPHAS = {f"alpha_{kind}": kind for kind in krippendorff.KINDS}
NO_OVERLAP = "no pair has a grade of both judges"


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of two judges, ready for an interval: sums by query, what is made of them, and on which scale."""

    sums: Sums
    value: Value
    scale: Scale
    undefined: str
    pairs: int

    def figure(self, level: float) -> Found:
        """With its two-sided interval."""
        return figure(self.sums, self.value, self.scale, self.undefined, self.pairs, level)


def statistics(kept: Ratings) -> dict[str, Statistic]:
    """Every statistic of two judges, by name, from the pairs that both graded."""
    queries, levels, pairs = kept.queries, kept.levels, len(kept.pairs)
    met = by_query(queries, cohen.confusions(kept.grades[:, 0], kept.grades[:, 1], levels))
    counts = krippendorff.counts_of(kept.grades, kept.given, levels)
    coincided = by_query(queries, krippendorff.coincidences(counts))
    found = {SAME: Statistic(met, _same, "logit", NO_OVERLAP, pairs)}
    for name, weights in KAPPAS.items():
        why = cohen.UNDEFINED if pairs else NO_OVERLAP
        found[name] = Statistic(met, _weighted(levels, weights), "fisher", why, pairs)
    for name, kind in ALPHAS.items():
        why = krippendorff.UNDEFINED if pairs else NO_OVERLAP
        found[name] = Statistic(coincided, krippendorff.alpha(levels, kind), "fisher", why, pairs)
    return found


def two(ratings: Ratings, first: str, second: str, level: float = LEVEL) -> PairAgreement:
    """How far two judges agree on the pairs that both graded; `first` is the one that bias is told against."""
    kept = both(ratings, first, second)
    found = statistics(kept)
    a, b = kept.grades[:, 0], kept.grades[:, 1]
    met = found[SAME].sums.sum(axis=0).astype(np.int64).tolist()
    return PairAgreement(
        Confusion(first, second, kept.levels, tuple(tuple(row) for row in met)),
        len(kept.pairs),
        len(found[SAME].sums),
        found[SAME].figure(level),
        {weights: found[name].figure(level) for name, weights in KAPPAS.items()},
        {kind: found[name].figure(level) for name, kind in ALPHAS.items()},
        {grade: _bias(kept.queries, a, b, grade, level) for grade in np.unique(a).tolist()},
    )


def both(ratings: Ratings, first: str, second: str) -> Ratings:
    """Only the two judges, and only the pairs that both graded."""
    for judge in (first, second):
        if judge not in ratings.judges:
            raise UsageError(f"No judge is called {judge!r}. There are: {', '.join(ratings.judges)}.")
    kept = ratings.of(first, second)
    rows = np.flatnonzero(kept.given.all(axis=1))
    return Ratings([kept.pairs[row] for row in rows.tolist()], kept.judges, kept.grades[rows], kept.given[rows])


def together(ratings: Ratings, level: float = LEVEL, pairwise: bool = True) -> Agreement:
    """How far all judges agree, and each two of them."""
    levels, queries = ratings.levels, ratings.queries
    counts = krippendorff.counts_of(ratings.grades, ratings.given, levels)
    several = counts.sum(axis=1) >= 2
    pairs = int(several.sum())
    alphas: dict[str, Found] = {}
    for kind in krippendorff.KINDS:
        if not pairs:
            alphas[kind] = NotEstimable("no pair has grades of two judges", METHOD, 0)
            continue
        met = by_query(queries[several], krippendorff.coincidences(counts[several]))
        alphas[kind] = figure(met, krippendorff.alpha(levels, kind), "fisher", krippendorff.UNDEFINED, pairs, level)
    usual = fleiss.usual(counts)
    agreed: Found = NotEstimable("no pair has grades of two judges", METHOD, 0)
    if usual:
        rows = counts.sum(axis=1) == usual
        sums = by_query(queries[rows], fleiss.sums_of(counts[rows], usual))
        agreed = figure(sums, fleiss.fleiss, "fisher", fleiss.UNDEFINED, int(rows.sum()), level)
    pairings = combinations(ratings.judges, 2) if pairwise else ()
    return Agreement(
        ratings.judges, pairs, agreed, usual, alphas, {(a, b): two(ratings, a, b, level) for a, b in pairings}
    )


def _same(matrices: Sums) -> NDArray[np.float64]:
    return divided(np.trace(matrices, axis1=-2, axis2=-1), matrices.sum(axis=(-2, -1)))


def _weighted(levels: tuple[int, ...], weights: str) -> Value:
    distance = cohen.distances(levels, weights)
    return lambda matrices: cohen.kappa(matrices, distance)


def _bias(
    queries: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], grade: int, level: float
) -> Found:
    """The mean of the second's grade minus this grade of the first."""
    here = first == grade
    rows = np.column_stack([np.ones(int(here.sum())), (second - first)[here]])
    sums = by_query(queries[here], rows)
    return figure(sums, mean, "plain", "the grade was not given", int(here.sum()), level)
