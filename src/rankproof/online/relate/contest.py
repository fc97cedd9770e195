"""Whether one measure predicts a metric better than another, and correlations corrected for measurement error.

Correlations of two measures with one metric are not independent, since the measures see the same changes and, mostly,
the same judgments. The interval of their difference is put together from their own intervals and from how the two
coefficients go together, which does not ask the difference to be near to normal. The p-value is the level at which the
interval touches 0. All pairs of measures of a metric are one family, which Holm's correction keeps honest.

source: Zou, Toward using confidence intervals to compare correlations, Psychological Methods 12(4), 2007

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
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.online.relate.correlate import COEFFICIENTS, Values, ends, too_few
from rankproof.online.relate.records import Contest, RankedMeasures
from rankproof.proving.corrections.contract import Correction, Tests

CONTEST_METHOD = "Zou's interval"
LEAST = 5
_STEPS = 60


def ranked(
    metric: str,
    measures: Sequence[str],
    values: Mapping[str, Mapping[str, float]],
    online: Mapping[str, float],
    by: str,
    level: float,
) -> RankedMeasures:
    """The measures by how well they predict one metric. `values` and `online` are by change, more is better."""
    coefficients = {name: _coefficient(values[name], online, by) for name in measures}
    known = {name: value for name, value in coefficients.items() if value is not None}
    if not known:
        return RankedMeasures(metric, None, (), ())
    best = max(known, key=known.__getitem__)
    # The better one first, so that a difference is read without a sign to turn.
    order = sorted(known, key=lambda name: -known[name])
    pairs = list(combinations(order, 2))

    def at_level(one_level: float) -> list[Answer]:
        return [difference(*_common(values[first], values[second], online), by, one_level) for first, second in pairs]

    plain = at_level(level)
    holm: Correction = shelf.find("corrections", "holm")
    # Nothing is drawn at random here; the generator is what the shelf's contract asks for.
    adjusted = holm.adjust(Tests(plain, at_level, (), level, 0), np.random.default_rng(0)) if len(pairs) > 1 else None
    contests = tuple(
        Contest(*pair, answer.n, answer, adjusted[i] if adjusted else None)
        for i, (pair, answer) in enumerate(zip(pairs, plain, strict=True))
    )
    beaten = tuple(contest.second for contest in contests if contest.winner == best == contest.first)
    return RankedMeasures(metric, best, beaten, contests)


def difference(first: Values, second: Values, online: Values, by: str, level: float) -> Answer:
    """How much more the first measure's coefficient is than the second's."""
    n = len(online)
    if n < LEAST:
        return NotEstimable(f"{n} changes have both measures: too few", CONTEST_METHOD, n)
    kind = COEFFICIENTS[by]
    one, two, between = kind(first, online), kind(second, online), kind(first, second)
    if one is None or two is None or between is None:
        return NotEstimable("one side does not vary", CONTEST_METHOD, n)
    value = one - two
    if abs(between) > 1 - 1e-9:
        return NotEstimable("the two measures say the same of every change", CONTEST_METHOD, n, value)
    interval = _interval(one, two, between, n, by, level)
    if interval is None:
        return NotEstimable("all changes agree with a measure, and no interval has a width", CONTEST_METHOD, n, value)
    return Estimate(value, *interval, _p_value(one, two, between, n, by), level, CONTEST_METHOD, n)


def _interval(one: float, two: float, between: float, n: int, by: str, level: float) -> tuple[float, float] | None:
    of_one, of_two = ends(by, one, n, level), ends(by, two, n, level)
    if of_one is None or of_two is None:
        return None
    # How the two coefficients go together: their own correlation, as both share the metric.
    together = ((between - one * two / 2) * (1 - one * one - two * two - between * between) + between**3) / (
        (1 - one * one) * (1 - two * two)
    )
    together = max(-1.0, min(1.0, together))

    def reach(left: float, right: float) -> float:
        return math.sqrt(max(0.0, left * left + right * right - 2 * together * left * right))

    value = one - two
    return value - reach(one - of_one[0], of_two[1] - two), value + reach(of_one[1] - one, two - of_two[0])


def _p_value(one: float, two: float, between: float, n: int, by: str) -> float:
    """1 minus the greatest level whose interval leaves 0 out, by halving."""
    inside, outside = 0.0, 1.0  # of p: an interval at 1 - 0 holds everything
    for _ in range(_STEPS):
        p = (inside + outside) / 2
        interval = _interval(one, two, between, n, by, 1 - p)
        if interval is not None and interval[0] <= 0 <= interval[1]:
            inside = p
        else:
            outside = p
    return outside


def _coefficient(values: Mapping[str, float], online: Mapping[str, float], by: str) -> float | None:
    names = [name for name in online if name in values]
    if len(names) < 2:
        return None
    return COEFFICIENTS[by](np.array([values[n] for n in names]), np.array([online[n] for n in names]))


def _common(
    first: Mapping[str, float], second: Mapping[str, float], online: Mapping[str, float]
) -> tuple[Values, Values, Values]:
    names = [name for name in online if name in first and name in second]
    a, b, c = (np.array([values[name] for name in names], dtype=np.float64) for values in (first, second, online))
    return a, b, c


NOISE_METHOD = "profile likelihood"
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
        return NotEstimable(too_few(n), NOISE_METHOD, n)
    for values, errors, side in ((x, x_errors, "offline"), (y, y_errors, "online")):
        if float(values.var(ddof=1)) <= float((errors**2).mean()):
            return NotEstimable(
                f"the {side} differences vary no more than their standard errors explain", NOISE_METHOD, n
            )
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
    return Estimate(value, min(low, value), max(high, value), p, level, NOISE_METHOD, n)


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
            likelihoods = self._at(rhos[:, None, None], np.exp(tried[0])[:, :, None], np.exp(tried[1])[:, None, :])
            at = likelihoods.reshape(len(rhos), -1).argmax(axis=1)
            heights = likelihoods.reshape(len(rhos), -1)[every, at]
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
        likelihood: Values = -0.5 * (np.log(determinant) + p * dx * dx + 2 * r * dx * dy + q * dy * dy).sum(axis=-1)
        return likelihood
