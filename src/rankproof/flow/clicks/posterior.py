"""Posterior: what is known of each pair's chance at rank 1, from its showings, clicks and looks, and from all pairs.

A pair that was shown n times got so many looks, in looks at rank 1, by the model that was fitted; on the average e a
showing. With the chance v at rank 1 a showing is clicked with v e, and c clicks on n showings have the likelihood
v^c (1 - v e)^(n - c). How chances are spread over pairs is found from the pairs themselves, as weights on a grid, by
expectation and maximization (Laird, Nonparametric maximum likelihood estimation of a mixing distribution, JASA 73,
1978), with a few pairs' worth of Jeffreys' prior mixed in. A pair with little of its own is then taken to be like
others.

Looks are taken as they are: that examination is an estimate itself is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.clickmodels._contract import Fitted, Floats, clicked, per_pair, sum_per_pair, there
from rankproof.flow.clicks.examination import mean_examination
from rankproof.records.impressions import Impressions, Numbers

# Chances at which Jeffreys' prior for a proportion, Beta(1/2, 1/2), has the same weight everywhere.
POINTS = 200
GRID: Floats = np.sin((np.arange(POINTS) + 0.5) / POINTS * np.pi / 2) ** 2
# Pairs that the spread is learned from, at most; passes; and pairs' worth of Jeffreys' prior.
LEARNED_FROM, PASSES, MIXED_IN = 2_000, 100, 10
PAIRS_AT_ONCE = 5_000
# How impossible a skip may be where a rank is looked at more than rank 1.
FLOOR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """For some pairs: what is known of their chances.

    pairs      their numbers
    looks      in looks at rank 1
    spread     the weight of each point of the grid over all pairs
    """

    pairs: Numbers
    showings: Floats
    clicks: Floats
    looks: Floats
    spread: Floats

    def means(self) -> Floats:
        """The mean of each pair's chance."""
        return np.concatenate([np.zeros(0), *(weights @ GRID for weights in self._weights())])

    def below(self, limits: Sequence[float]) -> Floats:
        """Limits x pairs: how likely the chance lies below the limit."""
        under = (np.array(limits)[:, None] > GRID).astype(np.float64)
        return np.concatenate([np.zeros((len(limits), 0)), *(under @ weights.T for weights in self._weights())], axis=1)

    def _weights(self) -> Iterator[Floats]:
        for start in range(0, len(self.pairs), PAIRS_AT_ONCE):
            at = slice(start, start + PAIRS_AT_ONCE)
            found = _likelihood(self.showings[at], self.clicks[at], self.looks[at]) * self.spread
            yield found / found.sum(axis=1, keepdims=True)


def posterior(fitted: Fitted, pages: Impressions, pairs: Numbers) -> Posterior:
    """What these pages and a model fitted to them say of some pairs, which are taken to be alike before it is known."""
    top = mean_examination(fitted, pages)

    def looked(piece: Impressions) -> Floats:
        examined = fitted.examination(piece)
        # A model without looks, or for which nobody looks at rank 1, tells no place from another.
        return np.ones(piece.shown.shape) if top is None or examined is None or not top[0] else examined / top[0]

    looks = sum_per_pair(pages, looked)[pairs]
    showings, clicks = per_pair(pages, there)[pairs], per_pair(pages, clicked)[pairs]
    return Posterior(pairs, showings, clicks, looks, _spread(showings, clicks, looks))


def _likelihood(showings: Floats, clicks: Floats, looks: Floats) -> Floats:
    """Pairs x points of the grid, the greatest of each pair being 1."""
    each = np.divide(looks, showings, out=np.ones_like(looks), where=showings > 0)
    skipped = np.log(np.maximum(1 - GRID * each[:, None], FLOOR))
    logs = clicks[:, None] * np.log(GRID) + (showings - clicks)[:, None] * skipped
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)), dtype=np.float64)


def _spread(showings: Floats, clicks: Floats, looks: Floats) -> Floats:
    """The weights of the grid, from pairs that are taken evenly from all."""
    weights = np.full(POINTS, 1 / POINTS)
    known = np.flatnonzero(showings)
    if not len(known):
        return weights
    at = known[np.unique(np.linspace(0, len(known) - 1, min(LEARNED_FROM, len(known))).astype(np.int64))]
    likely = _likelihood(showings[at], clicks[at], looks[at])
    for _ in range(PASSES):
        shares = likely * weights
        shares /= shares.sum(axis=1, keepdims=True)
        weights = (shares.sum(axis=0) + MIXED_IN / POINTS) / (len(at) + MIXED_IN)
    return weights
