"""Cohen's and Fleiss' kappa, Krippendorff's alpha, and their intervals by a jackknife over queries.

Plain kappa counts every disagreement the same; with linear weights it counts by how many grades two words are apart,
with quadratic ones by the square of that. 1 is perfect, 0 is what chance gives, below 0 is worse than chance.

source: Cohen, A coefficient of agreement for nominal scales, 1960; Cohen, Weighted kappa, 1968

The judges of one pair need not be those of another. Chance is what the grades' overall shares would give.

source: Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76(5), 1971

1 - observed over expected disagreement, where the disagreement of two grades is 1 (nominal), the square of how many
grades were given between them (ordinal), or the square of their difference (interval). A pair with one grade says
nothing.

source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, sections C and D

Every statistic of agreement here is a function of sums over pairs (a confusion matrix, a matrix of coincidences).
The sums are stored by query; the jackknife leaves out one query after the other, and Student's t with one degree of
freedom less than there are queries makes an interval of its standard error, on a scale where the statistic is closer
to normal: Fisher's z for kappa and alpha, the logit for a share. docs/model-judges.md has the observed
coverage, and that of intervals which treat pairs as independent.

source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11; Bell and McCaffrey, Bias reduction in
    standard errors for linear regression with multi-stage samples, Survey Methodology 28(2), 2002
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure

Sums = NDArray[Any]  # by query along the first axis
Value = Callable[[Sums], NDArray[np.float64]]  # of many sums at once; nan where the statistic is undefined
Scale = Literal["plain", "fisher", "logit"]

METHOD = "jackknife over queries"
# Values that differ by less are the same number, computed in another order.
ROUNDING = 1e-12
ALIKE = "no query differs from another, so nothing says how much others would"


@dataclass(frozen=True, slots=True)
class JackknifeSpread:
    """A statistic on the scale of its interval: where it lies, its standard error, and its degrees of freedom."""

    value: float
    center: float
    error: float
    freedom: int
    scale: Scale

    def low_high(self, tail: float) -> tuple[float, float]:
        """Both ends, each missed with probability `tail`."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, 1 - tail)) * self.error
        return _back(self.center - reach, self.scale), _back(self.center + reach, self.scale)

    def p_below(self, threshold: float) -> float:
        """The p-value of "it is at least the threshold", against "it is below"."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (self.center - _onto(threshold, self.scale)) / self.error))


def spread(sums: Sums, value: Value, scale: Scale, undefined: str, pairs: int) -> JackknifeSpread | NotEstimable:
    """The statistic of all queries, and how it moves when one is left out; `undefined` says why it may have none."""
    filled = sums[np.abs(sums).sum(axis=tuple(range(1, sums.ndim))) > 0]
    total = filled.sum(axis=0, keepdims=True)
    whole = float(value(total)[0]) if len(filled) else math.nan
    if not math.isfinite(whole):
        return NotEstimable(undefined, METHOD, pairs)
    queries = len(filled)
    if queries < 2:
        return NotEstimable("all pairs belong to one query, and queries differ", METHOD, pairs, whole)
    left = value(total - filled)
    if not np.isfinite(left).all():
        return NotEstimable("without one of its queries it has no value", METHOD, pairs, whole)
    error = math.sqrt((queries - 1) / queries * float(((left - left.mean()) ** 2).sum()))
    if error < ROUNDING or _at_an_end(whole, scale):
        return NotEstimable(ALIKE, METHOD, pairs, whole)
    # The delta method: the standard error times the slope of the scale.
    slope = 1 / (1 - whole**2) if scale == "fisher" else 1 / (whole * (1 - whole)) if scale == "logit" else 1.0
    return JackknifeSpread(whole, _onto(whole, scale), error * slope, queries - 1, scale)


def figure(sums: Sums, value: Value, scale: Scale, undefined: str, pairs: int, level: float) -> AgreementAnswer:
    """The statistic with its two-sided interval."""
    result = spread(sums, value, scale, undefined, pairs)
    if isinstance(result, NotEstimable):
        return result
    low, high = result.low_high((1 - level) / 2)
    return AgreementFigure(result.value, low, high, level, METHOD, pairs, result.freedom + 1)


def divided(top: Sums, bottom: Sums) -> NDArray[np.float64]:
    """One over the other; nan where there is nothing to divide by."""
    whole = np.asarray(bottom, dtype=np.float64)
    return np.asarray(np.divide(top, whole, out=np.full_like(whole, np.nan), where=whole > 1e-12))


def mean(sums: Sums) -> NDArray[np.float64]:
    """Of sums with a count first and a total second: the mean."""
    return divided(sums[:, 1], sums[:, 0])


def by_query(queries: NDArray[np.int64], rows: Sums) -> Sums:
    """Rows added up by query."""
    totals = np.zeros((int(queries.max()) + 1 if len(queries) else 0, *rows.shape[1:]))
    np.add.at(totals, queries, rows)
    return totals


def _at_an_end(value: float, scale: Scale) -> bool:
    """Whether the scale has no place for the value: perfect agreement, or none at all."""
    least = {"plain": -math.inf, "fisher": -1.0, "logit": 0.0}[scale]
    return scale != "plain" and not least + ROUNDING < value < 1 - ROUNDING


def _onto(value: float, scale: Scale) -> float:
    if scale == "fisher":
        return math.atanh(min(max(value, -1 + ROUNDING), 1 - ROUNDING))
    if scale == "logit":
        inside = min(max(value, ROUNDING), 1 - ROUNDING)
        return math.log(inside / (1 - inside))
    return value


def _back(value: float, scale: Scale) -> float:
    if scale == "fisher":
        return math.tanh(value)
    return 1 / (1 + math.exp(-value)) if scale == "logit" else value


COHEN_UNDEFINED = "both judges gave one and the same grade only, so there is no disagreement that chance could give"


def confusions(first: NDArray[np.int64], second: NDArray[np.int64], levels: tuple[int, ...]) -> NDArray[np.float64]:
    """For each pair the matrix with a 1 where the grade of the first meets the grade of the second."""
    places = np.asarray(levels)
    matrices = np.zeros((len(first), len(levels), len(levels)))
    matrices[np.arange(len(first)), np.searchsorted(places, first), np.searchsorted(places, second)] = 1.0
    return matrices


def distances(levels: tuple[int, ...], weights: str) -> NDArray[np.float64]:
    """How much each disagreement counts. Grades are numbers: 0 and 3 are three apart though nobody gave 1 or 2."""
    at = np.asarray(levels, dtype=np.float64)
    apart = np.abs(at[:, None] - at[None, :])
    if weights == "none":
        return (apart > 0).astype(np.float64)
    return apart if weights == "linear" else apart**2


def kappa(matrices: Sums, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - observed over expected disagreement, of each matrix; nan where none is expected.

    >>> float(kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]]), distances((0, 1), "none"))[0])
    0.4
    """
    count = matrices.sum(axis=(-2, -1))
    seen = (matrices * distance).sum(axis=(-2, -1)) * count
    rows, columns = matrices.sum(axis=-1), matrices.sum(axis=-2)
    expected = np.einsum("...i,...j,ij->...", rows, columns, distance)
    return 1 - divided(seen, expected)


FLEISS_UNDEFINED = "only one grade was given, so there is no disagreement that chance could give"


def usual(counts: NDArray[np.float64]) -> int:
    """The number of grades that most pairs have, at least two; the greater of two equally usual; 0 where none has."""
    sizes = counts.sum(axis=1).astype(np.int64)
    several = sizes[sizes >= 2]
    if not len(several):
        return 0
    often = np.bincount(several)
    return int(len(often) - 1 - np.argmax(often[::-1]))


def sums_of(counts: NDArray[np.float64], grades: int) -> NDArray[np.float64]:
    """For each pair: 1, its share of agreeing judges, and how often each grade was given."""
    agreeing = (counts * (counts - 1)).sum(axis=1) / (grades * (grades - 1))
    return np.column_stack([np.ones(len(counts)), agreeing, counts])


def fleiss(sums: Sums) -> NDArray[np.float64]:
    """(P - Pe) / (1 - Pe): equations 3 to 7 of the paper; nan where only one grade occurs."""
    agreeing = sums[:, 1] / np.maximum(sums[:, 0], 1e-300)
    totals = sums[:, 2:]
    shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1e-300)
    expected = (shares**2).sum(axis=1)
    return divided(agreeing - expected, 1 - expected)


KINDS = ("nominal", "ordinal", "interval")
ALPHA_UNDEFINED = "only one grade was given, so there is no disagreement that chance could give"


def counts_of(grades: NDArray[np.int64], given: NDArray[np.bool_], levels: tuple[int, ...]) -> NDArray[np.float64]:
    """How often each grade was given to each pair."""
    counts = np.zeros((len(grades), len(levels)))
    for at, level in enumerate(levels):
        counts[:, at] = ((grades == level) & given).sum(axis=1)
    return counts


def coincidences(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each pair with m > 1 grades: how often two grades meet in it, over m - 1."""
    sizes = counts.sum(axis=1)
    met = counts[:, :, None] * counts[:, None, :]
    met -= np.eye(counts.shape[1]) * counts[:, :, None]
    return np.asarray(met / np.maximum(sizes - 1, 1)[:, None, None])


def alpha(levels: tuple[int, ...], kind: str) -> Value:
    """The statistic of matrices of coincidences; nan where no disagreement is expected."""
    at = np.asarray(levels, dtype=np.float64)

    def of(matrices: Sums) -> NDArray[np.float64]:
        totals = matrices.sum(axis=-1)
        n = totals.sum(axis=-1)
        if kind == "ordinal":
            # (sum of n_g for g from c to k, less half of both ends)^2: as differences of cumulative middles.
            middles = np.cumsum(totals, axis=-1) - totals / 2
            apart = (middles[:, :, None] - middles[:, None, :]) ** 2
        elif kind == "interval":
            apart = np.broadcast_to((at[:, None] - at[None, :]) ** 2, matrices.shape)
        else:
            apart = np.broadcast_to((at[:, None] != at[None, :]).astype(np.float64), matrices.shape)
        seen = (matrices * apart).sum(axis=(-2, -1)) * (n - 1)
        expected = np.einsum("bi,bj,bij->b", totals, totals, apart)
        return 1 - divided(seen, expected)

    return of
