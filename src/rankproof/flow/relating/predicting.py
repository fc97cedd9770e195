"""Predicting: what an offline difference has meant online, and how much of it has been enough.

The line is that of least squares, of what was measured online by what was measured offline. It is for predicting from a
measured difference; noise in it makes the slope flatter than that of the true differences, as it should. The interval
allows for effects that scatter unevenly (HC3) and takes Student's distribution.

Enough is the least offline difference for which the next trial, with the standard error that trials have had, shows a
gain with the chance that is asked for. It is told only where a slope above 0 is shown, and only within the differences
that were seen: a line says nothing about what lies beyond.

source: MacKinnon and White, Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
properties, Journal of Econometrics 29, 1985; Long and Ervin, Using heteroscedasticity consistent standard errors in the
linear regression model, The American Statistician 54(3), 2000
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankproof.flow.relating.correlating import Values, too_few
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.records.relation import Enough

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
        """The chance that the effect measured for another change with this difference lies above a limit."""
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
    found = Line(n, slope, float(y.mean() - slope * x.mean()), float(x.mean()), squares, residual)
    if error == 0:
        return NotEstimable("all changes lie on one line, and no interval has a width", METHOD, n, slope), None
    reach = float(stdtrit(n - 2, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 2, -abs(slope) / error))
    return Estimate(slope, slope - reach, slope + reach, p, level, METHOD, n), found


def enough(x: Values, slope: Answer, found: Line | None, error: float | None, level: float, chance: float) -> Enough:
    """The offline difference from which on a shown gain is at least that likely; `error` is that of a usual trial."""
    from scipy.special import ndtri

    if found is None or not isinstance(slope, Estimate):
        return Enough(None, chance, "there is no line to predict by")
    if error is None:
        return Enough(None, chance, "the online effects have no standard errors, which say what a trial shows")
    if slope.low <= 0:
        return Enough(None, chance, "no slope above 0 is shown")
    limit = float(ndtri((1 + level) / 2)) * error
    tried = np.linspace(max(0.0, float(x.min())), float(x.max()), _POINTS).tolist()
    likely = [place for place in tried if found.chance_above(place, limit) >= chance]
    if not likely:
        return Enough(None, chance, "it lies beyond the differences that were seen")
    return Enough(likely[0], chance)
