"""Whether systems keep their order when a judge's grades take the place of people's.

Kendall's tau-b of the systems' means under both sets of grades, and tau AP. Intervals come from resampling queries
(percentile bootstrap): a correlation of orders jumps, so a jackknife does not hold for it.

source: Kendall, A new measure of rank correlation, 1938; Yilmaz, Aslam and Robertson, A new rank correlation
    coefficient for information retrieval, SIGIR 2008; Voorhees, Variations in relevance judgments, SIGIR 1998
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.agreement.gathering import Grades
from rankproof.flow.agreement.leaving import divided
from rankproof.flow.measuring import evaluate
from rankproof.measures._contract import Variant
from rankproof.records.agreement import Figure, Found
from rankproof.records.calibration import SystemOrder
from rankproof.records.estimate import NotEstimable

METHOD = "bootstrap over queries"
Means = NDArray[np.float64]  # resamples by systems
# What differs by less is equal, computed otherwise.
ROUNDING = 1e-12


def values_of(grades: Grades, run: Any, variant: Variant) -> Mapping[str, float]:
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
    taus = [_found(statistic, here, there, weights, level) for statistic in (tau_b, tau_ap)]
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
    chance = np.random.default_rng(seed)
    return chance.multinomial(queries, np.full(queries, 1 / queries), resamples) / queries


def _found(
    statistic: Callable[[Means, Means], NDArray[np.float64]],
    human: Means,
    model: Means,
    weights: NDArray[np.float64],
    level: float,
) -> Found:
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
    return Figure(value, min(low, value), max(high, value), level, METHOD, queries, queries)
