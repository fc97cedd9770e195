"""The ideal DCG of each query, where only a sample of its grades is people's.

The ideal ranking needs every grade, and most are the model's. It depends on counts: with Phi(c) the sum of the first c
discounts, the ideal is the sum over grades g of (gain of g - gain of the grade below) x Phi(how many documents have
grade g or more). Of each count a part is known; the rest is taken to be as the human sample says of pairs with the
same model grade, with a factor by which queries differ (mean 1, variance tau^2, by moments from the sample). Three
points of each count's distribution (Gauss and Hermite's) give three ideals, all counts high or low together, and the
harmonic mean of these is what a DCG is to be divided by: E[1/ideal], not 1/E[ideal].

What is assumed, therefore: that people's grades given the model's are distributed alike in judged and unjudged pairs,
which a random draw grants on average but no single query, and that this shape of E[1/ideal] is near enough. The
jackknife over the sampled pairs makes the ideals anew each time, so that their chance is in the interval; what the
assumption gets wrong is not. docs/model-judges.md has the bias and coverage that were seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
ASSUMPTION = (
    "the ideal ranking, of these pairs alone, is not known from a sample: unjudged pairs are taken to have people's "
    "grades as judged pairs with the same model grade have"
)
NODES = np.sqrt(3.0) * np.array([-1.0, 0.0, 1.0])
SHARES = np.array([1.0, 4.0, 1.0]) / 6
# So many model grades are told apart; a finer scale is cut into so many groups of about equal size.
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
        found = np.searchsorted(cuts, model, side="left")
    else:
        found = np.searchsorted(known, model)
    return np.where(graded, found, found.max(initial=0) + 1).astype(np.int64)


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
        found = np.repeat(whole[None], len(left_out), axis=0)
        found[place] -= weights[left_out[out]]
        return found

    drawn = table(np.ones(len(q)))
    # Over all draws, the sampled pairs with weights 1/p - 1 add up to the pairs that were not sampled.
    weights = 1 / seen.p - 1
    weighted = table(weights)
    pairs = drawn.sum(axis=(1, 2))
    open_cells = cells - drawn
    open_pairs = open_cells.sum(axis=2)
    reached = np.concatenate([[0.0], np.cumsum(discounts)])
    found = np.zeros((len(NODES), len(left_out), seen.queries))
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
            found[at] += step * np.interp(count, np.arange(len(reached)), reached)
    # An ideal is 0, or at least one document of the least worth at the first rank.
    least = min(step for step in steps.values() if step > 0) * discounts[0]
    return np.asarray(1 / np.tensordot(SHARES, 1 / np.maximum(found, least), axes=1))


def _shares(hits: Numbers, weights: Numbers, pairs: Numbers) -> Numbers:
    """By group, the share that has the grade or more, drawn a little toward that of all groups."""
    whole = weights.sum(axis=(1, 2))
    overall = hits.sum(axis=(1, 2)) / np.maximum(whole, 1e-300)
    prior = PRIOR * whole / np.maximum(pairs, 1)  # so many pairs of mean weight
    return np.asarray(
        (hits.sum(axis=1) + (prior * overall)[:, None]) / np.maximum(weights.sum(axis=1) + prior[:, None], 1e-300)
    )
