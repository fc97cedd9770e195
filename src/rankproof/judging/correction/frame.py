"""The sampling frame: pairs, their influence on means, ideal DCG from a sample, and regression estimates of sums.

The ideal ranking needs every grade, and most are the model's. It depends on counts: with Phi(c) the sum of the first c
discounts, the ideal is the sum over grades g of (gain of g - gain of the grade below) x Phi(how many documents have
grade g or more). Of each count a part is known; the rest is taken to be as the human sample says of pairs with the
same model grade, with a factor by which queries differ (mean 1, variance tau^2, by moments from the sample). Three
points of each count's distribution (Gauss and Hermite's) give three ideals, all counts high or low together, and the
harmonic mean of these is what a DCG is to be divided by: E[1/ideal], not 1/E[ideal].

What is assumed, therefore: that people's grades given the model's are distributed alike in judged and unjudged pairs,
which a random draw grants on average but no single query, and that this shape of E[1/ideal] is near enough. The
jackknife over the sampled pairs makes the ideals anew each time, so that their sampling error is in the interval; what
the assumption gets wrong is not. docs/model-judges.md has the bias and coverage that were seen.

Each pair i has a value z_i (its influence times its human gain), known for the sample, and auxiliaries x_i known for
all pairs: its influence, and its influence times the model's gain. The estimate is

    sum over the frame of B x_i  +  sum over the sample of (z_i - B x_i) / p_i

with p_i the probability that pair i was chosen: the difference estimator, right for any B because the second sum
corrects whatever the model gets wrong. B is tuned to make the estimated variance least. Its last part is the weight
of the model: the "power tuning" of prediction-powered inference (PPI++), and the optimal regression estimator of
survey sampling. Where the model is useless the weight goes to 0 and people's grades alone are left.

The variance is Hajek's for a draw of fixed size without replacement, which has the finite-population correction in it
(each residual counts with 1 - p_i), with residuals as if each pair had been left out of the tuning. Without that,
intervals for DCG@10 from 300 of 1,387 pairs cover 93.5% instead of 94.4%. Degrees of freedom are those of the sampled
pairs that have any influence.

source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023; Hajek, Asymptotic theory of
    rejective sampling with varying probabilities, Annals of Mathematical Statistics 35, 1964; Sarndal, Swensson and
    Wretman, Model Assisted Survey Sampling, 1992, chapter 6
"""

from __future__ import annotations

import math
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
ASSUMPTION = (
    "the ideal ranking, of these pairs alone, is not known from a sample: unjudged pairs are taken to have people's "
    "grades as judged pairs with the same model grade have"
)
NODES = np.sqrt(3.0) * np.array([-1.0, 0.0, 1.0])
SHARES = np.array([1.0, 4.0, 1.0]) / 6
# Model grades beyond this number are grouped: a finer scale is cut into so many groups of about equal size.
MOST_LEVELS = 6
# What a level's share is drawn toward where few pairs have it, as if half a pair had been seen there.
PRIOR = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of the frame: `rows` are the sampled pairs, the rest is by pair of the frame.

    query, level   the query and the group of model grades of each pair
    grade, p       human grade and probability of each sampled pair
    """

    rows: Whole
    query: Whole
    level: Whole
    grade: Whole
    p: Numbers
    queries: int


def levels_of(model: Whole, graded: NDArray[np.bool_]) -> Whole:
    """Groups of model grades, from 0 on; pairs without one are a group of their own."""
    known = np.unique(model[graded])
    if len(known) > MOST_LEVELS:
        cuts = np.unique(np.quantile(model[graded], np.linspace(0, 1, MOST_LEVELS + 1)[1:-1]))
        levels = np.searchsorted(cuts, model, side="left")
    else:
        levels = np.searchsorted(known, model)
    return np.where(graded, levels, levels.max(initial=0) + 1).astype(np.int64)


def ideals(seen: Seen, steps: dict[int, float], discounts: Numbers, left_out: Whole) -> Numbers:
    """For each entry of `left_out` (a place in the sample, -1 for nothing) the ideal DCG of every query.

    steps   by human grade: what it is worth more than the grade below
    """
    groups = int(seen.level.max()) + 1
    cells = np.zeros((seen.queries, groups))
    np.add.at(cells, (seen.query, seen.level), 1.0)
    q, g = seen.query[seen.rows], seen.level[seen.rows]
    out = np.flatnonzero(left_out >= 0)
    place = (out, q[left_out[out]], g[left_out[out]])

    def table(weights: Numbers) -> Numbers:
        """The sampled pairs' weights by query and group, once for each entry of `left_out`."""
        whole = np.zeros((seen.queries, groups))
        np.add.at(whole, (q, g), weights)
        ideal = np.repeat(whole[None], len(left_out), axis=0)
        ideal[place] -= weights[left_out[out]]
        return ideal

    drawn = table(np.ones(len(q)))
    # Over all draws, the sampled pairs with weights 1/p - 1 add up to the pairs that were not sampled.
    weights = 1 / seen.p - 1
    weighted = table(weights)
    pairs = drawn.sum(axis=(1, 2))
    open_cells = cells - drawn
    open_pairs = open_cells.sum(axis=2)
    reached = np.concatenate([[0.0], np.cumsum(discounts)])
    ideal = np.zeros((len(NODES), len(left_out), seen.queries))
    for grade, step in steps.items():
        hit = (seen.grade >= grade).astype(np.float64)
        hits = table(hit)
        inside, outside = _shares(hits, drawn, pairs), _shares(table(hit * weights), weighted, pairs)
        known = hits.sum(axis=2)
        expected = np.einsum("kqg,kg->kq", drawn, inside)
        noise = np.einsum("kqg,kg->kq", drawn, inside * (1 - inside))
        # E(known - expected)^2 = noise + tau^2 expected^2
        over = ((known - expected) ** 2 - noise).sum(axis=1) / np.maximum((expected**2).sum(axis=1), 1e-12)
        tau2 = np.maximum(over, 0.0)[:, None]
        rest = np.einsum("kqg,kg->kq", open_cells, outside)
        spread = np.sqrt(np.einsum("kqg,kg->kq", open_cells, outside * (1 - outside)) + tau2 * rest**2)
        for at, node in enumerate(NODES):
            count = np.clip(known + rest + node * spread, known, known + open_pairs)
            ideal[at] += step * np.interp(count, np.arange(len(reached)), reached)
    # An ideal is 0, or at least one document of the least worth at the first rank.
    least = min(step for step in steps.values() if step > 0) * discounts[0]
    return np.asarray(1 / np.tensordot(SHARES, 1 / np.maximum(ideal, least), axes=1))


def _shares(hits: Numbers, weights: Numbers, pairs: Numbers) -> Numbers:
    """By group, the share that has the grade or more, drawn a little toward that of all groups."""
    whole = weights.sum(axis=(1, 2))
    overall = hits.sum(axis=(1, 2)) / np.maximum(whole, 1e-300)
    prior = PRIOR * whole / np.maximum(pairs, 1)  # so many pairs of mean weight
    return np.asarray(
        (hits.sum(axis=1) + (prior * overall)[:, None]) / np.maximum(weights.sum(axis=1) + prior[:, None], 1e-300)
    )


# Fewer degrees of freedom say nothing about a spread.
LEAST_FREEDOM = 5


@dataclass(frozen=True, slots=True)
class Total:
    """An estimated sum: its standard error, its degrees of freedom, and the weight of the last auxiliary."""

    value: float
    error: float
    freedom: int
    weight: float

    def reach(self, level: float) -> float:
        """How far the interval goes to each side."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.error


def total(z: Numbers, x: Numbers, totals: Numbers, p: Numbers) -> Total | None:
    """The sum of z over the frame; `z`, `x` and `p` are of the sample, `totals` are those of x over the frame.

    None where too few sampled pairs have influence (the first auxiliary) to say how much they vary.
    """
    n, columns = len(z), x.shape[1] + 1
    free = 1 - p
    if not free.any():  # every pair is drawn with probability 1: there is no sampling error
        return Total(math.fsum(z.tolist()), 0.0, n, 0.0)
    freedom = int((x[:, 0] != 0).sum()) - columns
    if freedom < LEAST_FREEDOM:
        return None
    values, design = expanded(z, x, p)
    inverse = np.linalg.pinv((design * free[:, None]).T @ design, hermitian=True)
    b = inverse @ ((design * free[:, None]).T @ values)
    residuals = values - design @ b
    leverage = free * np.einsum("ip,pq,iq->i", design, inverse, design)
    # A pair that alone decides a coefficient leaves no residual, and no room to tell what it would be without it.
    room = 1 - leverage
    alone = np.divide(residuals, room, out=np.zeros(n), where=room > 1e-6)
    value = float(b @ np.concatenate([[n], totals]) + residuals.sum())
    variance = (n - 1) / n * float((free * alone**2).sum())
    return Total(value, math.sqrt(variance), freedom, float(b[-1]))


def expanded(z: Numbers, x: Numbers, p: Numbers) -> tuple[Numbers, Numbers]:
    """Values and auxiliaries over their probabilities, with a column of ones: a draw of fixed size has n of them."""
    return z / p, np.column_stack([np.ones(len(z)), x / p[:, None]])
