"""Calibrate: a judge's grades against people's: agreement, bias, stability, and what becomes of the order of systems.

Kendall's tau-b of the systems' means under both sets of grades, and tau AP. Intervals come from resampling queries
(percentile bootstrap): a correlation of orders jumps, so a jackknife does not hold for it.

source: Kendall, A new measure of rank correlation, 1938; Yilmaz, Aslam and Robertson, A new rank correlation
    coefficient for information retrieval, SIGIR 2008; Voorhees, Variations in relevance judgments, SIGIR 1998
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import NotEstimable
from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.proving.agreement import HUMAN, LEVEL, Grades, ratings_of, relevant_or_not, together, two
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure, PairAgreement, answer_dict
from rankproof.proving.agreement_statistics import by_query, divided, figure, mean
from rankproof.proving.judge_bias import DEPTH, GroupBias, biases
from rankproof.reading.collect import read_run


@dataclass(frozen=True, slots=True)
class Stability:
    """Agreement of a judge with itself over repeated passes.

    passes   how often it judged the same pairs
    share    of pairs that got the same grade every time
    alpha    Krippendorff's, ordinal, with the passes as judges
    """

    passes: int
    pairs: int
    share: AgreementAnswer
    alpha: AgreementAnswer

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "passes": self.passes,
            "pairs": self.pairs,
            "same": answer_dict(self.share),
            "alpha": answer_dict(self.alpha),
        }


@dataclass(frozen=True, slots=True)
class SystemOrder:
    """Systems in the order that people's grades give, and how far the model's grades give the same.

    human, model   each system's value, best by people's grades first
    tau            Kendall's tau-b of the two orders
    tau_ap         tau AP, people's order as the reference: a swap near the top costs more
    swapped        two systems each that the model's grades put the other way round, the people's better one first
    """

    measure: str
    queries: int
    human: Mapping[str, float]
    model: Mapping[str, float]
    tau: AgreementAnswer
    tau_ap: AgreementAnswer
    swapped: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "measure": self.measure,
            "queries": self.queries,
            "systems": [{"name": n, "human": value, "model": self.model[n]} for n, value in self.human.items()],
            "tau": answer_dict(self.tau),
            "tau_ap": answer_dict(self.tau_ap),
            "swapped": [list(pair) for pair in self.swapped],
        }


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """One judge against people.

    missing     pairs with people's grade that the judge gave none
    threshold   where both sides were made relevant or not: the least relevant grade of people and of the judge
    stability   None where there is one pass
    systems, groups   how its error differs between one run and the others, and between a group of runs and the rest
    """

    name: str
    agreement: PairAgreement
    missing: int
    threshold: tuple[int, int] | None = None
    stability: Stability | None = None
    orders: tuple[SystemOrder, ...] = ()
    systems: tuple[GroupBias, ...] = ()
    groups: tuple[GroupBias, ...] = ()
    bias_depth: int = DEPTH

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "judge": self.name,
            "missing": self.missing,
            "relevant": None if self.threshold is None else dict(zip(("human", "model"), self.threshold, strict=True)),
            **self.agreement.to_dict(),
            "stability": None if self.stability is None else self.stability.to_dict(),
            "systems": [order.to_dict() for order in self.orders],
            "bias_by_system": {
                "depth": self.bias_depth,
                "systems": [one.to_dict() for one in self.systems],
                "groups": [one.to_dict() for one in self.groups],
            },
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The answer of `rankproof judge calibrate`: every judge that was held against people's grades."""

    human: str
    pairs: int
    queries: int
    level: float
    judges: tuple[JudgeCalibration, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "human": self.human,
            "pairs": self.pairs,
            "queries": self.queries,
            "level": self.level,
            "judges": [judge.to_dict() for judge in self.judges],
        }


def stability(passes: Sequence[Grades], level: float) -> Stability:
    """Over the pairs that were graded in two passes or more."""
    ratings = ratings_of({f"pass {i}": grades for i, grades in enumerate(passes, start=1)})
    rows = np.flatnonzero(ratings.given.sum(axis=1) >= 2)
    grades, given = ratings.grades[rows], ratings.given[rows]
    least = np.where(given, grades, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    most = np.where(given, grades, np.iinfo(np.int64).min).max(axis=1, initial=np.iinfo(np.int64).min)
    sums = by_query(ratings.queries[rows], np.column_stack([np.ones(len(rows)), least == most]))
    share = figure(sums, mean, "logit", "no pair was graded twice", len(rows), level)
    return Stability(len(passes), len(rows), share, together(ratings, level, pairwise=False).alpha["ordinal"])


METHOD = "bootstrap over queries"
Means = NDArray[np.float64]  # resamples by systems
# What differs by less is equal, computed otherwise.
ROUNDING = 1e-12


def values_of(grades: Grades, run: object, variant: Variant) -> Mapping[str, float]:
    """Each query's value; a query that the run lacks counts as 0, so that every system has the same queries."""
    plain = {query: dict(docs) for query, docs in grades.items()}
    return evaluate(plain, run, variant, complete=True, allow=("zero_grades", "no_relevant_document"))[
        str(variant)
    ].by_query


def order_of_systems(
    measure: str,
    human: Mapping[str, Mapping[str, float]],
    model: Mapping[str, Mapping[str, float]],
    better: str,
    level: float,
    resamples: int,
    seed: int,
) -> SystemOrder:
    """Values by system and query, under people's grades and under the model's."""
    systems = list(human)
    first = next(iter(human.values()))
    queries = [q for q in first if all(q in values for side in (human, model) for values in side.values())]
    sign = -1.0 if better == "lower" else 1.0
    here, there = (
        sign * np.array([[side[name][q] for name in systems] for q in queries]).reshape(len(queries), len(systems))
        for side in (human, model)
    )
    means = [values.mean(axis=0) if len(queries) else np.zeros(len(systems)) for values in (here, there)]
    weights = _weights(len(queries), resamples, seed)
    taus = [_rank_correlation(statistic, here, there, weights, level) for statistic in (tau_b, tau_ap)]
    best = sorted(range(len(systems)), key=lambda i: -means[0][i])
    swapped = tuple(
        (systems[i], systems[j])
        for at, i in enumerate(best)
        for j in best[at + 1 :]
        if means[0][i] - means[0][j] > ROUNDING and means[1][j] - means[1][i] > ROUNDING
    )
    return SystemOrder(
        measure,
        len(queries),
        {systems[i]: float(sign * means[0][i]) for i in best},
        {systems[i]: float(sign * means[1][i]) for i in best},
        taus[0],
        taus[1],
        swapped,
    )


def tau_b(human: Means, model: Means) -> NDArray[np.float64]:
    """Kendall's tau-b of each row; nan where one side has every system equal.

    >>> tau_b(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]])).round(4).tolist()
    [0.3333]
    """
    i, j = np.triu_indices(human.shape[1], 1)
    a, b = _signs(human[:, i] - human[:, j]), _signs(model[:, i] - model[:, j])
    room = np.sqrt((a != 0).sum(axis=1) * (b != 0).sum(axis=1).astype(np.float64))
    return divided((a * b).sum(axis=1), room)


def tau_ap(human: Means, model: Means) -> NDArray[np.float64]:
    """tau AP of each row: for each system of the model's order, the share of those above it that are rightly there.

    >>> tau_ap(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]])).tolist()
    [0.0]
    """
    order = np.argsort(-model, axis=1, kind="stable")
    placed = np.take_along_axis(human, order, axis=1)
    n = placed.shape[1]
    apart = _signs(placed[:, :, None] - placed[:, None, :])  # above, below
    right = np.triu(np.ones((n, n)), 1) * (apart + 1) / 2  # a tie is half right
    shares = right.sum(axis=1)[:, 1:] / np.arange(1, n)
    return np.asarray(2 * shares.mean(axis=1) - 1)


def _signs(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(np.where(np.abs(differences) < ROUNDING, 0.0, differences)))


def _weights(queries: int, resamples: int, seed: int) -> NDArray[np.float64]:
    if not queries:
        return np.zeros((0, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(queries, np.full(queries, 1 / queries), resamples) / queries


def _rank_correlation(
    statistic: Callable[[Means, Means], NDArray[np.float64]],
    human: Means,
    model: Means,
    weights: NDArray[np.float64],
    level: float,
) -> AgreementAnswer:
    queries, systems = human.shape
    if systems < 3:
        return NotEstimable(f"an order takes three systems or more, and {systems} came", METHOD, queries)
    if queries < 2:
        return NotEstimable("one query says nothing about others", METHOD, queries)
    value = float(statistic(human.mean(axis=0, keepdims=True), model.mean(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return NotEstimable("one set of grades gives every system the same value", METHOD, queries)
    drawn = statistic(weights @ human, weights @ model)
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < 2 or drawn.max() - drawn.min() < ROUNDING:
        return NotEstimable("every resample of the queries gives the same", METHOD, queries, value)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return AgreementFigure(value, min(low, value), max(high, value), level, METHOD, queries, queries)


def _rankings(runs: Mapping[str, object]) -> dict[str, dict[str, list[str]]]:
    """Query to documents, best first, by run."""
    return {name: {query: docs for query, docs, _ in read_run(run).rankings()} for name, run in runs.items()}


def calibrate(
    human: Grades,
    judges: Mapping[str, Sequence[Grades]],
    *,
    name: str = HUMAN,
    runs: Mapping[str, object] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    measures: str | Sequence[str] = "nDCG@10",
    relevant: int | None = None,
    model_relevant: int | None = None,
    level: float = LEVEL,
    resamples: int = 2_000,
    seed: int = 0,
) -> Calibration:
    """Each judge's grades against people's; the first pass of a judge that gave several is its word.

    runs       systems whose order is compared under both sets of grades, as `evaluate` takes them; with two or more,
               whether the judge favors one of them
    groups     names of runs by group: whether the judge favors a group
    relevant   people's least grade that counts as relevant: grades become relevant or not before they are compared
    model_relevant   the judge's, where its scale is another
    """
    if model_relevant is not None and relevant is None:
        raise UsageError("The judge's least relevant grade says nothing without people's. Say both.")
    if groups and not runs:
        raise UsageError("Groups of runs say nothing without the runs. Give the runs too.")
    sets = {}
    for judge, passes in judges.items():
        if not passes:
            raise UsageError(f"The judge {judge!r} has no grades. Give its qrels.")
        common = {q: {d: g for d, g in docs.items() if d in passes[0].get(q, {})} for q, docs in human.items()}
        if not any(common.values()):
            raise InputError(
                f"{judge}: none of its pairs of query and document has a grade in {name}. "
                "Give grades of the same queries and documents."
            )
        sets[judge] = {q: docs for q, docs in common.items() if docs}
    threshold = None if relevant is None else (relevant, relevant if model_relevant is None else model_relevant)
    variants = parse(measures) if runs else ()
    rankings = _rankings(runs or {})
    depth = max((variant.k or DEPTH for variant in variants), default=DEPTH)
    calibrations = []
    for judge, passes in judges.items():
        common = sets[judge]
        theirs = {q: {d: passes[0][q][d] for d in docs} for q, docs in common.items()}
        people = common
        if threshold is not None:
            people, theirs = relevant_or_not(common, threshold[0]), relevant_or_not(theirs, threshold[1])
        called = judge if judge != HUMAN else f"{judge} (judge)"
        ratings = ratings_of({HUMAN: people, called: theirs}, common=True)
        orders = []
        for variant in variants:
            here = {system: values_of(people, run, variant) for system, run in (runs or {}).items()}
            there = {system: values_of(theirs, run, variant) for system, run in (runs or {}).items()}
            orders.append(order_of_systems(str(variant), here, there, variant.measure.better, level, resamples, seed))
        calibrations.append(
            JudgeCalibration(
                judge,
                two(ratings, HUMAN, called, level),
                sum(map(len, human.values())) - sum(map(len, common.values())),
                threshold,
                stability(passes, level) if len(passes) > 1 else None,
                tuple(orders),
                biases(people, theirs, rankings, {run: (run,) for run in rankings}, depth, level)
                if len(rankings) > 1
                else (),
                biases(people, theirs, rankings, groups or {}, depth, level),
                depth,
            )
        )
    return Calibration(name, sum(map(len, human.values())), len(human), level, tuple(calibrations))
