"""How far judges agree: two of them, all together, each alone, and against a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving import agreement_statistics as fleiss
from rankproof.proving.agreement_records import Agreement, AgreementAnswer, Confusion, PairAgreement, Ratings
from rankproof.proving.agreement_statistics import (
    ALPHA_UNDEFINED,
    COHEN_UNDEFINED,
    KINDS,
    METHOD,
    Scale,
    Sums,
    Value,
    alpha,
    by_query,
    coincidences,
    confusions,
    counts_of,
    distances,
    divided,
    figure,
    kappa,
    mean,
    spread,
)
from rankproof.reading.collect import read_qrels

LEVEL = 0.95
SAME = "same_grade"
KAPPAS = {"kappa": "none", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
ALPHAS = {f"alpha_{kind}": kind for kind in KINDS}
NO_OVERLAP = "no pair has a grade of both judges"


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of two judges, ready for an interval: sums by query, what is made of them, and on which scale."""

    sums: Sums
    value: Value
    scale: Scale
    undefined: str
    pairs: int

    def figure(self, level: float) -> AgreementAnswer:
        """With its two-sided interval."""
        return figure(self.sums, self.value, self.scale, self.undefined, self.pairs, level)


def statistics(kept: Ratings) -> dict[str, Statistic]:
    """Every statistic of two judges, by name, from the pairs that both graded."""
    queries, levels, pairs = kept.queries, kept.levels, len(kept.pairs)
    met = by_query(queries, confusions(kept.grades[:, 0], kept.grades[:, 1], levels))
    counts = counts_of(kept.grades, kept.given, levels)
    coincided = by_query(queries, coincidences(counts))
    by_name = {SAME: Statistic(met, _same, "logit", NO_OVERLAP, pairs)}
    for name, weights in KAPPAS.items():
        why = COHEN_UNDEFINED if pairs else NO_OVERLAP
        by_name[name] = Statistic(met, _weighted(levels, weights), "fisher", why, pairs)
    for name, kind in ALPHAS.items():
        why = ALPHA_UNDEFINED if pairs else NO_OVERLAP
        by_name[name] = Statistic(coincided, alpha(levels, kind), "fisher", why, pairs)
    return by_name


def two(ratings: Ratings, first: str, second: str, level: float = LEVEL) -> PairAgreement:
    """How far two judges agree on the pairs that both graded; `first` is the one that bias is told against."""
    kept = both(ratings, first, second)
    by_name = statistics(kept)
    a, b = kept.grades[:, 0], kept.grades[:, 1]
    met = by_name[SAME].sums.sum(axis=0).astype(np.int64).tolist()
    return PairAgreement(
        Confusion(first, second, kept.levels, tuple(tuple(row) for row in met)),
        len(kept.pairs),
        len(by_name[SAME].sums),
        by_name[SAME].figure(level),
        {weights: by_name[name].figure(level) for name, weights in KAPPAS.items()},
        {kind: by_name[name].figure(level) for name, kind in ALPHAS.items()},
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
    counts = counts_of(ratings.grades, ratings.given, levels)
    several = counts.sum(axis=1) >= 2
    pairs = int(several.sum())
    alphas: dict[str, AgreementAnswer] = {}
    for kind in KINDS:
        if not pairs:
            alphas[kind] = NotEstimable("no pair has grades of two judges", METHOD, 0)
            continue
        met = by_query(queries[several], coincidences(counts[several]))
        alphas[kind] = figure(met, alpha(levels, kind), "fisher", ALPHA_UNDEFINED, pairs, level)
    usual = fleiss.usual(counts)
    agreed: AgreementAnswer = NotEstimable("no pair has grades of two judges", METHOD, 0)
    if usual:
        rows = counts.sum(axis=1) == usual
        sums = by_query(queries[rows], fleiss.sums_of(counts[rows], usual))
        agreed = figure(sums, fleiss.fleiss, "fisher", fleiss.FLEISS_UNDEFINED, int(rows.sum()), level)
    pairings = combinations(ratings.judges, 2) if pairwise else ()
    return Agreement(
        ratings.judges, pairs, agreed, usual, alphas, {(a, b): two(ratings, a, b, level) for a, b in pairings}
    )


def _same(matrices: Sums) -> NDArray[np.float64]:
    return divided(np.trace(matrices, axis1=-2, axis2=-1), matrices.sum(axis=(-2, -1)))


def _weighted(levels: tuple[int, ...], weights: str) -> Value:
    distance = distances(levels, weights)
    return lambda matrices: kappa(matrices, distance)


def _bias(
    queries: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], grade: int, level: float
) -> AgreementAnswer:
    """The mean of the second's grade minus this grade of the first."""
    here = first == grade
    rows = np.column_stack([np.ones(int(here.sum())), (second - first)[here]])
    sums = by_query(queries[here], rows)
    return figure(sums, mean, "plain", "the grade was not given", int(here.sum()), level)


Grades = Mapping[str, Mapping[str, int]]  # query -> document -> grade, as Qrels are


def ratings_of(qrels: Mapping[str, Grades], common: bool = False) -> Ratings:
    """By judge, the grades of each; with `common` only the pairs that every judge graded."""
    said = {judge: flat(grades) for judge, grades in qrels.items()}
    pairs = list(dict.fromkeys(pair for grades in said.values() for pair in grades))
    if common:
        pairs = [pair for pair in pairs if all(pair in grades for grades in said.values())]
    return ratings_table(pairs, tuple(said), list(said.values()))


def flat(grades: Grades) -> dict[tuple[str, str], int]:
    """By pair of query and document."""
    return {(query, doc): grade for query, docs in grades.items() for doc, grade in docs.items()}


def ratings_table(
    pairs: Sequence[tuple[str, str]], judges: tuple[str, ...], by_judge: Sequence[Mapping[tuple[str, str], int]]
) -> Ratings:
    """Ratings from one mapping of pairs to grades for each judge."""
    given = np.array([[pair in grades for grades in by_judge] for pair in pairs], dtype=bool)
    grades = np.array([[grades.get(pair, 0) for grades in by_judge] for pair in pairs], dtype=np.int64)
    shape = (len(pairs), len(judges))
    return Ratings(pairs, judges, grades.reshape(shape), given.reshape(shape))


HUMAN = "human"


def relevant_or_not(grades: Grades, least: int) -> dict[str, dict[str, int]]:
    """1 from the least relevant grade on, 0 below."""
    return {q: {d: int(g >= least) for d, g in docs.items()} for q, docs in grades.items()}


JUDGE = "judge"


def agreement_holds(
    human: object, model: object, statistic: str, threshold: float, relevant: tuple[int, int] | None, level: float
) -> Answer:
    """A statistic of the pairs that both graded.

    Both ends are one-sided bounds, each at `level`; the p-value is that of "it is at least the threshold".
    """
    people, theirs = read_qrels(human), read_qrels(model)
    sides = {HUMAN: people.to_dict(), JUDGE: theirs.to_dict()}
    if relevant is not None:
        sides = {
            name: relevant_or_not(grades, least) for (name, grades), least in zip(sides.items(), relevant, strict=True)
        }
    kept = both(ratings_of(sides, common=True), HUMAN, JUDGE)
    if not kept.pairs:
        raise InputError(
            f"{theirs.name} grades none of the pairs in {people.name}. Give grades of the same queries and documents."
        )
    asked = statistics(kept)[statistic]
    found = spread(asked.sums, asked.value, asked.scale, asked.undefined, asked.pairs)
    if isinstance(found, NotEstimable):
        return found
    low, high = found.low_high(1 - level)
    return Estimate(
        found.value, low, high, found.p_below(threshold), level, METHOD, found.freedom + 1, "less", threshold
    )
