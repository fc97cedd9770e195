"""Correlations over past changes with intervals, sign agreement, and what an offline difference meant online.

The interval is that of Fisher's transformation, arctanh, whose standard error is 1 / sqrt(n - 3) for Pearson's,
sqrt((1 + r^2 / 2) / (n - 3)) for Spearman's and sqrt(0.437 / (n - 4)) for Kendall's tau-b. With as few changes as a
team has it holds better than a bootstrap, which draws the same few changes again and again. It is made for numbers that
are near to normal; a few huge differences make Pearson's too short, where the two of ranks still hold.

source: Fisher, On the probable error of a coefficient of correlation deduced from a small sample, Metron 1, 1921;
Bonett and Wright, Sample size requirements for estimating Pearson, Kendall and Spearman correlations, Psychometrika
65, 2000, for the standard errors of ranks

The line is that of least squares, of what was measured online by what was measured offline. It is for predicting from a
measured difference; noise in it makes the slope flatter than that of the true differences, as it should. The interval
allows for effects that scatter unevenly (HC3) and takes Student's distribution.

Enough is the least offline difference for which the next trial, with the standard error that trials have had, shows a
gain with the requested probability. It is given only where a slope above 0 is statistically significant, and only
within the differences that were seen: a line says nothing about what lies beyond.

source: MacKinnon and White, Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
properties, Journal of Econometrics 29, 1985; Long and Ervin, Using heteroscedasticity consistent standard errors in the
linear regression model, The American Statistician 54(3), 2000
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.online.relate.records import NeededDifference, OnlineOutcomes, Signs
from rankproof.proving.win_share import share_of_wins

Values = NDArray[np.float64]
# Rounding may leave a correlation this far beyond, or short of, 1.
_WHOLE = 1 - 1e-12


def pearson(x: Values, y: Values) -> float | None:
    """The coefficient; None where one side does not vary."""
    dx, dy = x - x.mean(), y - y.mean()
    below = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return None if below == 0 else max(-1.0, min(1.0, float(dx @ dy) / below))


def spearman(x: Values, y: Values) -> float | None:
    """Pearson's of the ranks; equal numbers share theirs."""
    from scipy.stats import rankdata  # here: loading scipy is for those who test

    return pearson(rankdata(x), rankdata(y))


def kendall(x: Values, y: Values) -> float | None:
    """Tau-b: pairs of changes in the same order less those in the other, over what ties leave possible."""
    upper = np.triu_indices(len(x), 1)
    a, b = (np.sign(values[:, None] - values[None, :])[upper] for values in (x, y))
    below = math.sqrt(float(a @ a) * float(b @ b))
    return None if below == 0 else float(a @ b) / below


def too_few(n: int) -> str:
    """So many changes are not enough, in words."""
    return "1 change is too few" if n == 1 else f"{n} changes are too few"


COEFFICIENTS: dict[str, Callable[[Values, Values], float | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def error_of(kind: str, value: float, n: int) -> float | None:
    """The standard error of a coefficient's arctanh; None for too few changes."""
    below = n - (4 if kind == "kendall" else 3)
    if below <= 0:
        return None
    if kind == "kendall":
        return math.sqrt(0.437 / below)
    return math.sqrt((1 + value * value / 2 if kind == "spearman" else 1.0) / below)


def ends(kind: str, value: float, n: int, level: float) -> tuple[float, float] | None:
    """The interval; None where there is none: too few changes, or a coefficient of 1."""
    from scipy.special import ndtri

    error = error_of(kind, value, n)
    if error is None or abs(value) > _WHOLE:
        return None
    reach = float(ndtri((1 + level) / 2)) * error
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)


def correlation(kind: str, x: Values, y: Values, level: float) -> Answer:
    """One coefficient with its interval and the p-value that goes with it."""
    from scipy.special import ndtr

    n = len(x)
    value = COEFFICIENTS[kind](x, y) if n > 1 else None
    if value is None:
        reason = "one side does not vary" if n > 1 else "fewer than two changes have both"
        return NotEstimable(reason, kind, n)
    interval, error = ends(kind, value, n, level), error_of(kind, value, n)
    if interval is None or error is None:
        few = error is None
        reason = f"{too_few(n)} for an interval" if few else "all changes agree, and no interval has a width"
        return NotEstimable(reason, kind, n, value)
    p = 2 * float(ndtr(-abs(math.atanh(value)) / error))
    return Estimate(value, *interval, p, level, kind, n)


def signs(x: Values, y: Values, level: float) -> Signs:
    """The share of changes with equal signs, by the exact binomial distribution; what has no sign is left out."""
    turned = [a * b for a, b in zip(_signs(x), _signs(y), strict=True)]
    agree, disagree = turned.count(1), turned.count(-1)
    share: Answer = share_of_wins(agree, disagree, level)
    if not isinstance(share, Estimate):
        share = NotEstimable("no change has a sign on both sides", share.method, 0)
    return Signs(agree, disagree, len(turned) - agree - disagree, share)


def foretold(x: Values, y: Values, shown: Sequence[bool]) -> OnlineOutcomes:
    """Of the changes that were better offline: shown better online, shown worse, not shown to differ."""
    there = [(b, known) for a, b, known in zip(_signs(x), _signs(y), shown, strict=True) if a > 0]
    better = sum(known and b > 0 for b, known in there)
    worse = sum(known and b < 0 for b, known in there)
    return OnlineOutcomes(better, worse, len(there) - better - worse)


def _signs(values: Values) -> list[int]:
    return [(value > 0) - (value < 0) for value in values.tolist()]


METHOD = "least squares, HC3"
LEAST = 4
CHANCE = 0.8
# Steps from the least to the greatest difference: the answer is exact to one of them.
_POINTS = 400


@dataclass(frozen=True, slots=True)
class Line:
    """Least squares through changes: what is needed to predict another one."""

    n: int
    slope: float
    intercept: float
    center: float
    squares: float
    residual: float  # the standard deviation of what the line leaves

    def chance_above(self, x: float, limit: float) -> float:
        """The probability that the effect measured for another change with this difference lies above a limit."""
        from scipy.special import stdtr  # here: loading scipy is for those who test

        error = self.residual * math.sqrt(1 + 1 / self.n + (x - self.center) ** 2 / self.squares)
        return float(stdtr(self.n - 2, (self.intercept + self.slope * x - limit) / error))


def line(x: Values, y: Values, level: float) -> tuple[Answer, Line | None]:
    """The slope with its interval, and the line; None where there is none."""
    from scipy.special import stdtr, stdtrit

    n = len(x)
    if n < LEAST:
        return NotEstimable(f"{too_few(n)} for a line", METHOD, n), None
    away = x - x.mean()
    squares = float(away @ away)
    if squares == 0:
        return NotEstimable("the offline differences are all the same", METHOD, n), None
    slope = float(away @ y) / squares
    left = y - y.mean() - slope * away
    leverage = 1 / n + away**2 / squares
    if np.any(leverage > 1 - 1e-9):
        return NotEstimable("one change alone decides the slope", METHOD, n, slope), None
    residual = math.sqrt(float(left @ left) / (n - 2))
    error = math.sqrt(float((away**2 * (left / (1 - leverage)) ** 2).sum())) / squares
    fitted = Line(n, slope, float(y.mean() - slope * x.mean()), float(x.mean()), squares, residual)
    if error == 0:
        return NotEstimable("all changes lie on one line, and no interval has a width", METHOD, n, slope), None
    reach = float(stdtrit(n - 2, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 2, -abs(slope) / error))
    return Estimate(slope, slope - reach, slope + reach, p, level, METHOD, n), fitted


def enough(
    x: Values, slope: Answer, fitted: Line | None, error: float | None, level: float, chance: float
) -> NeededDifference:
    """The offline difference from which on a shown gain is at least that likely; `error` is that of a usual trial."""
    from scipy.special import ndtri

    if fitted is None or not isinstance(slope, Estimate):
        return NeededDifference(None, chance, "there is no line to predict by")
    if error is None:
        return NeededDifference(
            None, chance, "the online effects have no standard errors, which say what a trial shows"
        )
    if slope.low <= 0:
        return NeededDifference(None, chance, "no slope above 0 is shown")
    limit = float(ndtri((1 + level) / 2)) * error
    tried = np.linspace(max(0.0, float(x.min())), float(x.max()), _POINTS).tolist()
    likely = [place for place in tried if fitted.chance_above(place, limit) >= chance]
    if not likely:
        return NeededDifference(None, chance, "it lies beyond the differences that were seen")
    return NeededDifference(likely[0], chance)
