"""Wilcoxon signed-rank test: the ranks of the differences that go up against those that go down.

Differences are ranked by size, zeros left out (as Wilcoxon did), ties at their mean rank; the statistic is the sum of
the ranks of those above the tested value. The p-value is exact for at most 50 queries without ties or zeros and for at
most 13 with them, and by the normal approximation otherwise, as in scipy.stats.wilcoxon.

The interval is for the pseudomedian, the median of all averages of two differences (Hodges and Lehmann), of the queries
that differ: every value that the same test does not reject. It assumes that the differences are symmetric; only then is
that the mean. Where they are not, it rejects more and more often as queries are added though the means are equal.

about: the pseudomedian
source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 1945; the interval: Hollander and
Wolfe, Nonparametric Statistical Methods, section 3.3; the warning: Smucker, Allan and Carterette, CIKM 2007

Differences 1 to 6, all up: of 64 ways to give them signs only one has all ranks up, so p = 2/64. At 95% the interval
lies between the least and the greatest average:

>>> from rankproof.testing.statistics import inferred
>>> inferred("wilcoxon", [1, 2, 3, 4, 5, 6])
'3.5 [1, 6] p = 0.03125'
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.significance._differing import differing, left_out
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "wilcoxon"
WARNING = (
    "The Wilcoxon test ranks the differences and is not about their mean: as a test of the mean it misses differences "
    "and raises false alarms, and should not be used for it (Smucker, Allan and Carterette, 2007)."
)
EXACT = 50  # queries up to which the distribution without ties and zeros is gone through
EXACT_TIED = 13  # and the one with them

Steps = NDArray[np.int64]
# The chance of a statistic at least so large; the statistic is doubled, so that mean ranks are whole numbers.
Upper = Callable[[int], float]


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Test, and interval of the pseudomedian; nothing is left to chance."""
    changed = differing(differences, question, NAME)
    if isinstance(changed, NotEstimable):
        return changed
    steps, alternative = changed.steps, question.alternative
    mirrored = -steps[::-1]
    upper = _upper(steps, len(differences))
    sides = 2 if alternative == "two-sided" else 1
    greater, less = upper(_statistic(steps, 0)), upper(_statistic(mirrored, 0))
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]

    def rejects(statistic: int) -> bool:
        return sides * upper(statistic) <= 1 - question.level

    notes: tuple[str, ...] = (
        "the interval is for the pseudomedian of the queries that differ, the value is the mean of all queries",
    )
    low, high = -math.inf, math.inf
    if rejects(len(steps) * (len(steps) + 1)):
        low = low if alternative == "less" else changed.back(_least(steps, rejects) / 2)
        high = high if alternative == "greater" else changed.back(-_least(mirrored, rejects) / 2)
    else:
        notes += (f"no bound at {100 * question.level:.6g}%: the {len(steps)} queries that differ are too few for it",)
    return Estimate(
        float(differences.mean()),
        low,
        high,
        p,
        question.level,
        NAME,
        len(differences),
        alternative=alternative,
        null=question.null,
        notes=notes + left_out(differences, changed),
    )


def _statistic(steps: Steps, twice: int) -> int:
    """Twice the sum of the ranks above a value, given twice the value: the averages of two that lie above it count 2,
    those equal to it 1 (Tukey's form of the statistic, with mean ranks for ties).
    """
    n = len(steps)
    over = n - np.searchsorted(steps, twice - steps, "right")
    at_least = n - np.searchsorted(steps, twice - steps, "left")
    # Each pair was met twice and each difference with itself once.
    above = int(over.sum()) + np.count_nonzero(2 * steps > twice)
    equal_or_above = int(at_least.sum()) + np.count_nonzero(2 * steps >= twice)
    return int(above + equal_or_above) // 2


def _least(steps: Steps, rejects: Callable[[int], bool]) -> int:
    """The least value, doubled, that is not rejected as too small."""
    rejected, kept = 2 * int(steps[0]) - 1, 2 * int(steps[-1]) + 1
    while kept - rejected > 1:
        middle = (rejected + kept) // 2
        if rejects(_statistic(steps, middle)):
            rejected = middle
        else:
            kept = middle
    return kept


def _upper(steps: Steps, queries: int) -> Upper:
    from scipy.special import ndtr  # here: loading scipy is for those who test

    sizes, counts = np.unique(np.abs(steps), return_counts=True)
    n, clean = len(steps), len(sizes) == queries
    if queries <= (EXACT if clean else EXACT_TIED):
        ranks = np.repeat(2 * np.cumsum(counts) - counts + 1, counts)  # doubled mean ranks
        chances = np.zeros(int(ranks.sum()) + 1)
        chances[0] = 1.0
        for rank in ranks:  # each rank is up or down with equal chance
            chances[rank:] += chances[:-rank].copy()
            chances /= 2
        tails = chances[::-1].cumsum()[::-1]
        return lambda statistic: float(tails[statistic])
    mean = n * (n + 1) / 2
    variance = n * (n + 1) * (2 * n + 1) / 6 - float((counts.astype(float) ** 3 - counts).sum()) / 12
    return lambda statistic: float(ndtr((mean - statistic) / math.sqrt(variance)))


OFFERS = (
    Significance(
        name=NAME,
        page=__doc__,
        spellings=("signed-rank", "wilcoxon-signed-rank"),
        infer=infer,
        about="median",
        warning=WARNING,
    ),
)
