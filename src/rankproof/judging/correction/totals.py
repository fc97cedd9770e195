"""Estimates of sums from a sample of units, with auxiliaries that are known for all: values and confidence intervals.

A unit is a pair of query and document, or a whole query. Unit i has a value z_i (by people's grades), known for the
sample, and auxiliaries x_i known for all: what it can weigh, and its value by the model's grades. The estimate is

    sum over the frame of B x_i  +  sum over the sample of (z_i - B x_i) / p_i

with p_i the probability that unit i was chosen: the difference estimator, right for any B because the second sum
corrects whatever the model gets wrong. B is tuned to make the estimated variance least. Its last part is the weight
of the model: the "power tuning" of prediction-powered inference (PPI++), and the optimal regression estimator of
survey sampling. Where the model is useless the weight goes to 0 and people's grades alone are left.

The variance is Hajek's for a draw of fixed size without replacement, which has the finite-population correction in it
(each residual counts with 1 - p_i), with residuals as if each unit had been left out of the tuning.

**Intervals that know the range.** A sum whose units have known ranges lies between L and U, and near an end the
estimate and its variance go together: a sample without a single irrelevant document has variance 0, and proves little.
The interval is therefore Wilson's score interval on (T - L) / (U - L), with the effective number of units that the
variance speaks for (Korn and Graubard). In the middle of the range it is the interval of Student's t. Where few units
differ from the end, their spread is hardly known, and the effective number is drawn toward that of the design alone,
which takes every unit for 0 or all.

A difference of two runs has gains that count for one and gains that count for the other. Each of these two sums has an
interval of its own, and the ends of both make that of the difference (Newcombe's method, called MOVER).

**Other queries.** A second variance takes the queries for a draw from many. A draw of pairs reaches all queries, and
the spread of the estimates by query has both in it: how queries differ, and what was not graded (the ultimate-cluster
variance). A draw of whole queries has the spread of the sampled queries' values over their number in the frame added.

source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023; Hajek, Asymptotic theory of
    rejective sampling with varying probabilities, Annals of Mathematical Statistics 35, 1964; Sarndal, Swensson and
    Wretman, Model Assisted Survey Sampling, 1992, chapters 4 and 6; Wilson, Probable inference, JASA 22, 1927; Korn and
    Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24(2), 1998; Newcombe, Interval estimation for the difference between independent
    proportions, Statistics in Medicine 17, 1998; Zou and Donner, Construction of confidence limits about effect
    measures, Statistics in Medicine 27, 2008
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
# Fewer degrees of freedom say nothing about a spread.
LEAST_FREEDOM = 5
# So many units of the design stand beside those that differ from the end of the range.
PRIOR_EVENTS = 2.0
PRIOR_QUERIES = 0.25
# What differs by less is equal, computed otherwise.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """A sample of units, and what is known of all of them.

    rows          the sampled units; every other array but `z` is by unit of the frame
    z             values of the sampled units
    x             auxiliaries: the first is 0 where a unit has no part in the sum
    p             the probability with which each unit was drawn
    least, most   the range of each unit's value
    query         the number of each unit's query
    queries       how many queries there are
    clusters      whether a unit is a whole query
    """

    rows: Whole
    z: Numbers
    x: Numbers
    p: Numbers
    least: Numbers
    most: Numbers
    query: Whole
    queries: int
    clusters: bool = False


@dataclass(frozen=True, slots=True)
class PartialSum:
    """An estimated sum of units with the same sign: its variance, its range, and how much the design can say of it.

    size     the effective number of units if each were at one end of its range or at the other
    events   sampled units that differ from the end of the range that the sum is nearer to
    prior    so many events count as the design says
    """

    value: float
    variance: float
    least: float
    most: float
    size: float
    events: int
    prior: float

    def ends(self, t: float) -> tuple[float, float]:
        """Wilson's score interval at `t` standard errors, in the sum's own unit."""
        reach = self.most - self.least
        if reach <= ROUNDING or not math.isfinite(self.size):
            return self.value, self.value
        if self.size <= 0:
            return self.least, self.most
        share = min(max((self.value - self.least) / reach, 0.0), 1.0)
        # The variance is told at a share where half a unit differs at least: at the very end it would be 0.
        half = min(0.5 / self.size, 0.5)
        at = min(max(share, half), 1 - half)
        by_design = at * (1 - at) / self.size
        ratio = self.variance / reach**2 / by_design
        weight = self.events + self.prior
        ratio = (self.events * ratio + self.prior) / weight if weight > 0 else ratio
        size = self.size / max(ratio, 1e-12)
        shrink = 1 + t * t / size
        center = (share + t * t / (2 * size)) / shrink
        half_width = t / shrink * math.sqrt(share * (1 - share) / size + (t / (2 * size)) ** 2)
        low, high = max(center - half_width, 0.0), min(center + half_width, 1.0)
        return self.least + reach * low, self.least + reach * high


@dataclass(frozen=True, slots=True)
class Total:
    """An estimated sum: its parts of either sign, its standard errors, and the weight of the last auxiliary.

    error          given these queries
    error_queries  over queries like these
    """

    value: float
    error: float
    freedom: int
    weight: float
    parts: tuple[PartialSum, ...]
    error_queries: float
    freedom_queries: int
    whole: PartialSum | None

    def interval(self, level: float) -> tuple[float, float]:
        """What all grades of these units would give."""
        if not self.parts:
            return self.value, self.value
        t = _t(self.freedom, level)
        inside = [min(max(part.value, part.least), part.most) for part in self.parts]
        ends = [part.ends(t) for part in self.parts]
        below = math.sqrt(sum((value - low) ** 2 for value, (low, _) in zip(inside, ends, strict=True)))
        above = math.sqrt(sum((high - value) ** 2 for value, (_, high) in zip(inside, ends, strict=True)))
        return sum(inside) - below, sum(inside) + above

    def interval_queries(self, level: float) -> tuple[float, float] | None:
        """What all grades of many queries like these would give; None with one query."""
        if self.whole is None:
            return None
        return self.whole.ends(_t(self.freedom_queries, level))


def _t(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def total(units: Units) -> Total | None:
    """The sum over all units; None where too few sampled units have a part in it to say how much they vary."""
    n, frame = len(units.z), len(units.x)
    p, z, x = units.p[units.rows], units.z, units.x[units.rows]
    if n == frame:  # everything is known: there is no sampling error
        b, lone, inside, freedom = np.zeros(x.shape[1] + 1), z, z, n
    else:
        free = 1 - p
        values, design = z / p, np.column_stack([np.ones(n), x / p[:, None]])
        moments = (design * free[:, None]).T @ design
        freedom = int((x[:, 0] != 0).sum()) - int(np.linalg.matrix_rank(moments, hermitian=True))
        if freedom < LEAST_FREEDOM:
            return None
        inverse = np.linalg.pinv(moments, hermitian=True)
        b = inverse @ ((design * free[:, None]).T @ values)
        residuals = values - design @ b
        leverage = free * np.einsum("ip,pq,iq->i", design, inverse, design)
        lone = residuals / np.maximum(1 - leverage, 1e-6)
        inside = residuals
    # Over the frame, by unit: what the regression says, and on sampled units what it leaves.
    told = units.x @ b[1:] + b[0] * units.p if n < frame else np.zeros(frame)
    told[units.rows] += inside
    value = math.fsum(told.tolist())
    squares = np.zeros(frame)
    squares[units.rows] = (1 - p) * lone**2 * (n - 1) / n
    parts = tuple(
        _part(units, here, told, squares) for here in _signs(units) if n < frame and here.any()
    )  # fmt: skip
    error = math.sqrt(float(squares.sum()))
    weight = float(b[-1]) if n < frame else 0.0
    over, freedom_queries = _over_queries(units, told, lone, inside, error, freedom)
    whole = None
    if units.queries > 1 and freedom_queries > 0:
        everywhere = _part(units, np.ones(frame, dtype=bool), told, squares)
        whole = PartialSum(
            everywhere.value, over**2, everywhere.least, everywhere.most, min(everywhere.size, units.queries),
            everywhere.events, everywhere.prior,
        )  # fmt: skip
    return Total(value, error, freedom, weight, parts, over, freedom_queries, whole)


def _signs(units: Units) -> tuple[NDArray[np.bool_], ...]:
    """Units that can only add and those that can only take away; all together where one can do both."""
    if ((units.least < 0) & (units.most > 0)).any():
        return (np.ones(len(units.x), dtype=bool),)
    return units.most > 0, units.least < 0


def _part(units: Units, here: NDArray[np.bool_], told: Numbers, squares: Numbers) -> PartialSum:
    least, most = float(units.least[here].sum()), float(units.most[here].sum())
    reach = (units.most - units.least)[here]
    spread = float((reach**2 * (1 / units.p[here] - 1)).sum())
    size = reach.sum() ** 2 / spread if spread > 0 else math.inf
    value = float(told[here].sum())
    sampled = here[units.rows] & (units.most > units.least)[units.rows]
    z, rows = units.z[sampled], units.rows[sampled]
    near_least = value - least <= most - value
    events = int((z > units.least[rows] + ROUNDING).sum() if near_least else (z < units.most[rows] - ROUNDING).sum())
    variance = float(squares[here].sum())
    # The values of whole queries are seldom at an end of their range: only near one is their spread hardly known.
    aside = (2 * min(max((value - least) / max(most - least, ROUNDING), 0.0), 1.0) - 1) ** 2
    prior = PRIOR_EVENTS if not units.clusters or variance <= 0 else PRIOR_QUERIES * aside
    return PartialSum(value, variance, least, most, float(size), events, prior)


def _over_queries(
    units: Units, told: Numbers, lone: Numbers, inside: Numbers, error: float, freedom: int
) -> tuple[float, int]:
    """The standard error over queries, and its degrees of freedom."""
    count = units.queries
    if units.clusters:
        n = len(units.z)
        spread = float(units.z.var(ddof=1)) * count if n > 1 else 0.0
        return math.sqrt(error**2 + spread), min(freedom, n - 1)
    apart = told.copy()
    apart[units.rows] += lone - inside
    by_query = np.bincount(units.query, apart, minlength=count)
    variance = count / max(count - 1, 1) * float(((by_query - by_query.mean()) ** 2).sum())
    return max(math.sqrt(variance), error), min(freedom, count - 1)
