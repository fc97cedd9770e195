"""Scoring: how well a fitted click model foretells clicks that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.clickmodels._contract import Fitted, Floats
from rankproof.records.impressions import Impressions

# What a model holds impossible happens in logs. It counts as this unlikely, so that one such click does not decide all;
# and what a model holds sure counts as this far from it.
FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Perplexity:
    """2 to the mean surprise in bits: 1 where every click and skip was foretold, 2 where a coin would do as well.

    by_rank   from rank 1; None where no page reaches
    mean      over the ranks that have one
    """

    by_rank: tuple[float | None, ...]

    @property
    def mean(self) -> float:
        """The mean over ranks, each counting alike."""
        return float(np.mean([value for value in self.by_rank if value is not None]))


@dataclass(frozen=True, slots=True)
class Score:
    """How a model foretold the clicks of pages.

    log_likelihood   natural logarithm of the probability of all clicks and skips of a page, mean over pages
    conditional      perplexity given the clicks above, on each page
    marginal         perplexity before anything is clicked
    floored          places that the model held impossible, and that count with the floor instead
    """

    pages: int
    log_likelihood: float
    conditional: Perplexity
    marginal: Perplexity
    floored: int


def score(fitted: Fitted, pages: Impressions) -> Score:
    """The score of a model on pages whose pairs are numbered as those it learned from."""
    counts, floored, likely = np.zeros(pages.ranks, dtype=np.int64), 0, 0.0
    conditional, marginal = np.zeros((2, pages.ranks))
    for piece in pages.pieces():
        given = fitted.conditional(piece)
        surprise = _logs(given, piece.clicks)
        impossible = np.where(piece.clicks, given, 1 - given) < FLOOR
        counts += piece.there.sum(axis=0)
        likely += float(surprise[piece.there].sum())
        conditional += _by_rank(surprise, piece.there)
        marginal += _by_rank(_logs(fitted.marginal(piece), piece.clicks), piece.there)
        floored += int((impossible & piece.there).sum())
    return Score(
        len(pages), likely / len(pages), _perplexity(conditional, counts), _perplexity(marginal, counts), floored
    )


def _logs(chances: Floats, clicks: NDArray[np.bool_]) -> Floats:
    """The logarithm of the probability of what happened at each place."""
    safe = np.clip(chances, FLOOR, 1 - FLOOR)
    return np.asarray(np.log(np.where(clicks, safe, 1 - safe)), dtype=np.float64)


def _by_rank(logs: Floats, there: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(there, logs, 0.0).sum(axis=0), dtype=np.float64)


def _perplexity(sums: Floats, counts: NDArray[np.int64]) -> Perplexity:
    return Perplexity(tuple(float(np.exp(-s / n)) if n else None for s, n in zip(sums, counts, strict=True)))
