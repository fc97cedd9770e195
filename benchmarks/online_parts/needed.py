"""Sessions needed for one decision, from what is to be expected of a session on each query.

A session is one query, drawn with equal chances, and one page. A two-sided test at 5% that looks once finds a mean of m
with standard deviation s in 80% of cases with K s^2 / m^2 sessions, where K = (1.960 + 0.842)^2. An A/B trial has half
of its sessions in each variant: K x 2 (s^2 of one + s^2 of the other) / (difference of the means)^2 in all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from benchmarks.online_parts.users import Floats
from scipy.special import ndtri

K = float(ndtri(0.975) + ndtri(0.8)) ** 2


@dataclass(frozen=True, eq=False)
class Expected:
    """By query: the mean of something in a session, and the mean of its square."""

    means: Floats
    squares: Floats

    def over(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance over sessions, for each row of query weights that add up to 1."""
        mean = weights @ self.means
        return mean, weights @ self.squares - mean * mean


@dataclass(frozen=True, eq=False)
class Size:
    """Sessions needed for a decision, and in whose favor: for each row of query weights."""

    sessions: Floats
    effect: Floats


def equal_weights(queries: int) -> Floats:
    """One row: every query alike."""
    return np.full((1, queries), 1 / queries)


def resampled_weights(queries: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Rows of weights, each of as many queries drawn with replacement."""
    return rng.multinomial(queries, np.full(queries, 1 / queries), resamples) / queries


def interleaved(margin: Expected, weights: Floats) -> Size:
    """By the mean of what one system earns more in a session."""
    mean, variance = margin.over(weights)
    return Size(K * variance / (mean * mean), mean)


def trial(control: Expected, treatment: Expected, weights: Floats) -> Size:
    """By the difference of two groups of sessions, half of them each."""
    (before, s2), (after, t2) = control.over(weights), treatment.over(weights)
    effect = after - before
    return Size(K * 2 * (s2 + t2) / (effect * effect), effect)
