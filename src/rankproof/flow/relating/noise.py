"""Noise: the correlation of the true differences, when what is known of them was measured with errors.

Errors of measurement pull a correlation towards 0: a measure may look bad because its differences, or the effects of
the trials, were too uncertain to tell. Here each change has true differences from a normal distribution of two numbers,
and measured ones with the standard errors that are given, independent of each other: offline and online are different
data. The correlation is the one of greatest likelihood; the interval holds those whose likelihood, with everything else
at its best, is not too much less. How much is too much, is taken from Student's distribution, as few changes ask for.

Where the measured differences vary no more than their errors explain, there is nothing left to correlate, and no
estimate. That a correlation may be 1 is no fault: noise then explains all that it lacks.

source: Spearman, The proof and measurement of association between two things, American Journal of Psychology 15, 1904,
for the correction; the likelihood of it is that of a random-effects model with known errors
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.flow.relating.correlating import Values, too_few
from rankproof.records.estimate import Answer, Estimate, NotEstimable

METHOD = "profile likelihood"
LEAST = 5
# The greatest correlation that is looked at; beyond, the likelihood says nothing else.
_MOST = 0.9999
# The correlations at which the likelihood is looked at first: denser towards the ends, where it changes fast.
_GRID = _MOST * np.sin(np.pi / 2 * np.arange(-12, 13) / 12)
_NONE = 12  # where 0 stands in it
# Between two of them, so many more.
_FINER = 25
# True standard deviations, as logarithms of shares of the measured ones, and how they are looked for: on a grid of so
# many points each way, which is made four times finer around the best of them in each round.
_SPREADS = (math.log(0.02), math.log(3.0))
_POINTS, _ROUNDS = 9, 6


def corrected(x: Values, x_errors: Values, y: Values, y_errors: Values, level: float) -> Answer:
    """The correlation without the noise; errors of 0 are no noise."""
    from scipy.special import stdtr, stdtrit  # here: loading scipy is for those who test

    n = len(x)
    if n < LEAST:
        return NotEstimable(too_few(n), METHOD, n)
    for values, errors, side in ((x, x_errors, "offline"), (y, y_errors, "online")):
        if float(values.var(ddof=1)) <= float((errors**2).mean()):
            return NotEstimable(f"the {side} differences vary no more than their standard errors explain", METHOD, n)
    likelihood = _Likelihood(x, x_errors, y, y_errors)
    coarse = likelihood.best(_GRID)
    top = int(coarse.argmax())
    rho, highest = float(_GRID[top]), float(coarse[top])
    below, above = float(_GRID[max(top - 1, 0)]), float(_GRID[min(top + 1, len(_GRID) - 1)])
    for _ in range(2):  # finer around the best so far
        places = np.linspace(below, above, _FINER)
        heights = likelihood.best(places)
        at = int(heights.argmax())
        below, above = float(places[max(at - 1, 0)]), float(places[min(at + 1, _FINER - 1)])
        if heights[at] > highest:
            rho, highest = float(places[at]), float(heights[at])
    allowed = highest - float(stdtrit(n - 2, (1 + level) / 2)) ** 2 / 2
    p = 2 * float(stdtr(n - 2, -math.sqrt(max(0.0, 2 * (highest - float(coarse[_NONE]))))))
    value = math.copysign(1.0, rho) if abs(rho) >= _MOST else rho
    low, high = (_end(likelihood, coarse, allowed, top, side) for side in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), p, level, METHOD, n)


def _end(likelihood: _Likelihood, coarse: Values, allowed: float, top: int, side: int) -> float:
    """Where the likelihood falls below what is allowed for the last time on one side; the edge where it never does."""
    held = {top, *np.flatnonzero(coarse >= allowed).tolist()}
    last = max(held) if side > 0 else min(held)
    if not 0 <= last + side < len(_GRID):
        return float(side)
    places = np.linspace(_GRID[last], _GRID[last + side], _FINER)
    heights = likelihood.best(places)
    inside = int(np.flatnonzero(heights >= allowed)[-1]) if np.any(heights >= allowed) else 0
    if inside == _FINER - 1:
        return float(places[-1])
    fall = float(heights[inside] - heights[inside + 1])
    share = min(1.0, max(0.0, float(heights[inside] - allowed) / fall)) if fall > 0 else 1.0
    return float(places[inside] + share * (places[inside + 1] - places[inside]))


class _Likelihood:
    """The likelihood of correlations with means and spreads at their best."""

    def __init__(self, x: Values, x_errors: Values, y: Values, y_errors: Values) -> None:
        scales = float(x.std(ddof=1)), float(y.std(ddof=1))
        self.x, self.y = (x - x.mean()) / scales[0], (y - y.mean()) / scales[1]
        self.x_noise, self.y_noise = (x_errors / scales[0]) ** 2, (y_errors / scales[1]) ** 2

    def best(self, rhos: Values) -> Values:
        """The logarithm of the likelihood of each correlation, up to a constant."""
        low = np.full((2, len(rhos)), _SPREADS[0])
        high = np.full((2, len(rhos)), _SPREADS[1])
        every = np.arange(len(rhos))
        heights = np.empty(len(rhos))
        for _ in range(_ROUNDS):
            tried = low[:, :, None] + (high - low)[:, :, None] * np.linspace(0, 1, _POINTS)
            found = self._at(rhos[:, None, None], np.exp(tried[0])[:, :, None], np.exp(tried[1])[:, None, :])
            at = found.reshape(len(rhos), -1).argmax(axis=1)
            heights = found.reshape(len(rhos), -1)[every, at]
            step = (high - low) / (_POINTS - 1)
            best = np.stack([tried[0][every, at // _POINTS], tried[1][every, at % _POINTS]])
            low, high = best - step, best + step
        return heights

    def _at(self, rho: Values, first: Values, second: Values) -> Values:
        """For every combination, which the shapes of the three span."""
        a = (first * first)[..., None] + self.x_noise
        b = (second * second)[..., None] + self.y_noise
        c = (rho * first * second)[..., None]
        determinant = a * b - c * c
        # The means at their best: weighed by the inverse of each change's covariance, ((p, r), (r, q)).
        p, q, r = b / determinant, a / determinant, -c / determinant
        along, across = p @ self.x + r @ self.y, r @ self.x + q @ self.y
        whole_p, whole_q, whole_r = p.sum(axis=-1), q.sum(axis=-1), r.sum(axis=-1)
        below = whole_p * whole_q - whole_r * whole_r
        dx = self.x - ((whole_q * along - whole_r * across) / below)[..., None]
        dy = self.y - ((whole_p * across - whole_r * along) / below)[..., None]
        found: Values = -0.5 * (np.log(determinant) + p * dx * dx + 2 * r * dx * dy + q * dy * dy).sum(axis=-1)
        return found
