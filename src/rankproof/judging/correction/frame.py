"""The sampling frame: pairs of query and document, the model's grades of them, and their weight in each run's mean.

A measure that can be corrected is a weighted sum of gains (P, DCG, RBP), or such a sum over the greatest that the
query's documents allow (nDCG). The latter is no sum over pairs: the ideal ranking of a query needs all of its grades,
and an estimate from some of them is biased in a way that the sample does not show. It is a sum over queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.measuring.dependence import Dependence, Gain, Linear, OverIdeal
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.proving.agreement import Grades

Pair = tuple[str, str]
Rankings = Mapping[str, Sequence[str]]  # query -> documents, best first


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Pairs in rows.

    queries     every query that counts in a mean
    query       the number of each pair's query
    ranks       for each run and pair, its rank; 0 where the run does not have it in its first `depth`
    retrieved   for each run and query, how many documents the run has
    model       the model's grade of each pair, 0 where it gave none
    graded      whether the model gave one
    outside     documents among the runs' first that are no part of the frame
    """

    pairs: tuple[Pair, ...]
    queries: tuple[str, ...]
    query: NDArray[np.int64]
    runs: tuple[str, ...]
    ranks: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    model: NDArray[np.int64]
    graded: NDArray[np.bool_]
    outside: int
    depth: int

    def places(self) -> dict[Pair, int]:
        """The row of each pair."""
        return {pair: row for row, pair in enumerate(self.pairs)}


def frame_of(model: Grades, runs: Mapping[str, Rankings], depth: int, planned: Sequence[Pair] | None = None) -> Frame:
    """The runs' first `depth` documents that the model graded; or the pairs of a plan."""
    planned_pairs = None if planned is None else dict.fromkeys(planned)
    frame_pairs: dict[Pair, None] = {}
    missed: dict[Pair, None] = {}
    queries = tuple(model)
    for query in queries:
        graded = model[query]
        for ranking in runs.values():
            for doc in ranking.get(query, ())[:depth]:
                inside = doc in graded if planned_pairs is None else (query, doc) in planned_pairs
                (frame_pairs if inside else missed)[query, doc] = None
    if not frame_pairs:
        raise InputError(
            f"None of the runs' first {depth} documents has a grade of the model. Give runs and grades of the same "
            "queries and documents."
        )
    pairs = tuple(frame_pairs if planned_pairs is None else planned_pairs)
    number = {query: i for i, query in enumerate(queries)}
    strange = next((query for query, _ in pairs if query not in number), None)
    if strange is not None:
        raise InputError(f"The plan has the query {strange!r}, of which the model graded nothing. Give its grades too.")
    place = {pair: row for row, pair in enumerate(pairs)}
    ranks = np.zeros((len(runs), len(pairs)), dtype=np.int64)
    retrieved = np.zeros((len(runs), len(queries)), dtype=np.int64)
    for at, ranking in enumerate(runs.values()):
        for query in queries:
            retrieved[at, number[query]] = len(ranking.get(query, ()))
            for rank, doc in enumerate(ranking.get(query, ())[:depth], start=1):
                row = place.get((query, doc))
                if row is not None:
                    ranks[at, row] = rank
    return Frame(
        pairs,
        queries,
        np.array([number[query] for query, _ in pairs], dtype=np.int64),
        tuple(runs),
        ranks,
        retrieved,
        np.array([model[query].get(doc, 0) for query, doc in pairs], dtype=np.int64),
        np.array([doc in model[query] for query, doc in pairs], dtype=bool),
        len(missed),
        depth,
    )


Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GainForm:
    """How a measure's mean comes from gains: a weighted sum, over the query's ideal sum where there is one.

    discounts   of the ideal's ranks, best first; empty for a plain sum
    """

    variant: Variant
    gain: Gain
    weights: Numbers  # by run and pair
    discounts: Numbers

    @property
    def over_ideal(self) -> bool:
        """Whether the sum is divided by that of the best order."""
        return bool(len(self.discounts))


def variants_of(measures: str | list[str]) -> tuple[Variant, ...]:
    """The measures, once each can be written as a weighted sum of gains or as one over its ideal."""
    variants = parse(measures)
    for variant in variants:
        kind = _kind(variant)
        linear = isinstance(kind, Linear) and kind.elsewhere == 0
        if not linear and not (isinstance(kind, OverIdeal) and not kind.retrieved):
            raise UsageError(
                f"{variant} cannot be corrected: it is neither a weighted sum of grades, as P, DCG and RBP are, nor "
                "such a sum over the best possible one, as nDCG is."
            )
    return variants


def _kind(variant: Variant) -> Dependence | None:
    depends = variant.measure.depends
    return None if depends is None else depends(variant)


def depth_of(variants: tuple[Variant, ...], depth: int | None) -> int:
    """How many of each run's first documents matter: `depth`, or the greatest cutoff."""
    if depth is not None:
        return depth
    endless = next((variant for variant in variants if variant.k is None), None)
    if endless is not None:
        raise UsageError(f"{endless} has no cutoff, so all documents would have to be graded. Say a depth.")
    return max(variant.k or 0 for variant in variants)


def form_of(frame: Frame, variant: Variant) -> GainForm:
    """The weights of all runs; a query's weights are divided by the number of queries, as its mean is."""
    kind = _kind(variant)
    weights = np.zeros(frame.ranks.shape)
    discounts = np.zeros(0)
    for at, ranks in enumerate(frame.ranks):
        here = ranks > 0
        if isinstance(kind, Linear):
            weights[at, here] = kind.weight(ranks[here], frame.retrieved[at][frame.query[here]])
        else:
            assert isinstance(kind, OverIdeal)
            within = ranks[here] <= (kind.k or frame.depth)
            weights[at, here] = within / kind.discount(ranks[here])
    if isinstance(kind, OverIdeal):
        longest = int(np.bincount(frame.query).max())
        cut = longest if kind.ideal_k is None else min(kind.ideal_k, longest)
        discounts = 1 / kind.discount(np.arange(1, cut + 1))
    assert isinstance(kind, Linear | OverIdeal)
    return GainForm(variant, kind.gain, weights / len(frame.queries), discounts)


Whole = NDArray[np.int64]
# Model grades beyond this number are grouped: a finer scale is cut into so many groups of about equal size.
MOST_LEVELS = 6


def levels_of(model: Whole, graded: NDArray[np.bool_]) -> Whole:
    """Groups of model grades, from 0 on; pairs without one are a group of their own."""
    known = np.unique(model[graded])
    if len(known) > MOST_LEVELS:
        cuts = np.unique(np.quantile(model[graded], np.linspace(0, 1, MOST_LEVELS + 1)[1:-1]))
        levels = np.searchsorted(cuts, model, side="left")
    else:
        levels = np.searchsorted(known, model)
    return np.where(graded, levels, levels.max(initial=0) + 1).astype(np.int64)


def query_values(frame: Frame, form: GainForm, weights: Numbers, gains: Numbers) -> Numbers:
    """By query, what a weighted sum of these gains of all pairs is; over the query's ideal sum where there is one."""
    sums = np.zeros(len(frame.queries))
    np.add.at(sums, frame.query, weights * gains)
    if not form.over_ideal:
        return sums
    ideal = np.zeros(len(frame.queries))
    order = np.lexsort((-gains, frame.query))
    starts = np.searchsorted(frame.query[order], np.arange(len(frame.queries)))
    place = np.arange(len(order)) - starts[frame.query[order]]
    counted = place < len(form.discounts)
    best = np.maximum(gains[order][counted], 0.0) * form.discounts[place[counted]]
    np.add.at(ideal, frame.query[order][counted], best)
    return np.asarray(np.divide(sums, ideal, out=np.zeros(len(ideal)), where=ideal > 0))


def greatest_gain(form: GainForm, grades: Whole) -> float:
    """What a document can be worth: the gain of the greatest of these grades, or of the least grade that has any."""
    known = np.union1d(grades, [1])
    while not (form.gain(known) > 0).any():
        known = known * 2
    return float(form.gain(known).max())
