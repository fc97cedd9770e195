"""Scaling: scores of one ranking onto a scale that the scores of others are on too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

# Beyond it a difference or a square may leave the range of numbers; a power of two changes no digit.
_VAST, _DOWN = 1e150, 2.0**-600


def minmax(scores: Scores) -> Scores:
    """From 0 for the last to 1 for the first; 1 for all when they are alike."""
    scores = _within(scores)
    span = np.ptp(scores) if len(scores) else 0.0
    return (scores - scores.min()) / span if span else np.ones(len(scores))


def zscore(scores: Scores) -> Scores:
    """Mean 0 and standard deviation 1; 0 for all when they are alike."""
    scores = _within(scores)
    spread = scores.std() if len(scores) and np.ptp(scores) else 0.0
    return (scores - scores.mean()) / spread if spread else np.zeros(len(scores))


def total(scores: Scores) -> Scores:
    """0 for the last, and 1 for all together; equal parts when they are alike."""
    above = minmax(scores)
    return above / above.sum() if len(above) else above


def by_rank(scores: Scores) -> Scores:
    """1 for the first, 1/n less for each below it."""
    n = len(scores)
    return 1 - np.arange(n) / max(n, 1)


def _within(scores: Scores) -> Scores:
    return scores * _DOWN if len(scores) and np.abs(scores).max() > _VAST else scores
