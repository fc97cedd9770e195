"""McNemar's test, exact and unconditional: scores of 0 and 1 in both systems, for any number of queries and of changes.

Success, exact match, pass or fail: differences are -1, 0 and 1, and all that counts is how many queries were gained,
how many were lost, and how many there are. Outcomes are ordered by Tango's score statistic, which is McNemar's where
the null is 0; the p-value is the probability of an outcome at least as far out, at the rate of change where that is
greatest. Unlike the test that looks at changed queries only, it is exact for any null, so that margins have their test
too, and it finds more: six gains and no loss in 20 queries have p = 0.014, where the conditional test says 0.031.

A two-sided p-value is twice that of the nearer side, and the interval has half of the error on each, as Clopper and
Pearson's: it is what the same test does not reject. No p-value is below 1e-9. All queries that change the same way, and
no query that changes at all, have their interval too.

Not for: values between 0 and 1, means of repetitions, and queries with weights, strata or clusters.

about: the mean
source: McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
Psychometrika 12, 1947; Tango, Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, Statistics in Medicine 17, 1998; Fagerland, Lydersen and Laake, Recommended tests and confidence
intervals for paired binomial proportions, Statistics in Medicine 33, 2014

Three of 20 queries gained, none lost; then nothing changed; then all changed the same way:

>>> from rankproof.testing.statistics import inferred
>>> inferred("mcnemar", [1] * 3 + [0] * 17, low=-1, high=1)
'0.15 [-0.0399, 0.379] p = 0.1019'
>>> inferred("mcnemar", [0] * 20, low=-1, high=1)
'0 [-0.169, 0.169] p = 1'
>>> inferred("mcnemar", [1] * 20, low=-1, high=1)
'1 [0.663, 1] p = 1.909e-06'
>>> inferred("mcnemar", [0.5, 1, 0], low=-1, high=1)
'not estimable: scores of 0 and 1 differ by -1, 0 or 1, and one difference is 0.5'
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.paired_proportions import lower_bound, tested
from rankproof.proving.significance._bounded import NO_RANGE
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "mcnemar"
# A difference nearer than this to -1, 0 or 1 is that number, computed in another order.
ROUNDING = 1e-9


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """From the numbers of gains and losses; nothing is random."""
    n = len(differences)
    mean = float(differences.mean()) if n else None
    reason = _why_not(differences, question)
    if reason or mean is None:
        return NotEstimable(reason, NAME, n, mean)
    gained, lost = int(np.count_nonzero(differences > 0.5)), int(np.count_nonzero(differences < -0.5))
    alternative, null = question.alternative, question.null
    sides = 2.0 if alternative == "two-sided" else 1.0
    alpha = (1.0 - question.level) / sides
    low, high, p_values = -math.inf, math.inf, []
    if alternative != "less":
        low = lower_bound(n, gained, lost, null, alpha)
        p_values.append(tested(n, gained, lost, null)[0])
    if alternative != "greater":
        high = -lower_bound(n, lost, gained, -null, alpha)
        p_values.append(tested(n, lost, gained, -null)[0])
    p = min(1.0, sides * min(p_values))
    return Estimate(mean, low, high, p, question.level, NAME, n, alternative=alternative, null=null)


def _why_not(differences: Differences, question: SignificanceRequest) -> str:
    """Why these are no differences of scores of 0 and 1, or too few of them; "" where they can be tested."""
    n = len(differences)
    if n < 2:
        return f"{'no query' if n == 0 else 'one query only'}: two or more are needed to see how much queries vary"
    other = differences[np.abs(differences - np.clip(np.rint(differences), -1.0, 1.0)) > ROUNDING]
    if len(other):
        count = "one difference is" if len(other) == 1 else f"{len(other)} differences are not, such as"
        return f"scores of 0 and 1 differ by -1, 0 or 1, and {count} {other[0]:.6g}"
    if math.isinf(question.low) or math.isinf(question.high):
        return NO_RANGE
    if abs(question.low + 1.0) > ROUNDING or abs(question.high - 1.0) > ROUNDING:
        return f"differences lie between {question.low:g} and {question.high:g}, where those of 0 and 1 have -1 and 1"
    return ""


OFFERS = (
    Significance(
        name=NAME,
        page=__doc__,
        infer=infer,
        bounded=True,
        spellings=("mcnemar-test", "mcnemars-test", "exact-mcnemar", "paired-proportions", "tango"),
    ),
)
