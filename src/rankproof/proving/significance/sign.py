"""Sign test: how many queries go up and how many down, whatever the size of the differences.

The p-value is that of as uneven a split, or a more uneven one, of as many fair coins as there are queries that differ;
twice the smaller side when two-sided. The interval is for the median of the differences of those queries, every median
that the test does not reject: its ends are two of the differences. It assumes only that queries are a random sample,
and it does not speak of the mean: a system may win on most queries and lose on average.

about: the sign, and with it the median
source: Arbuthnott 1710; Conover, Practical Nonparametric Statistics, sections 3.2 and 3.4; the warning: Smucker, Allan
and Carterette, CIKM 2007

Nine queries go up and one down. Ten coins with at most one tail: 11 of 1024 ways, so p = 22/1024. At 95% the ends are
the second differences from below and above:

>>> from rankproof.testing.statistics import inferred
>>> inferred("sign", [-0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
'0.44 [0.1, 0.8] p = 0.02148'
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.significance._differing import differing, left_out
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "sign"
WARNING = (
    "The sign test counts queries and is not about the mean of their differences: as a test of the mean it misses "
    "differences and raises false alarms, and should not be used for it (Smucker, Allan and Carterette, 2007)."
)


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Test, and interval of the median; nothing is left to chance."""
    from scipy.special import bdtr  # here: loading scipy is for those who test

    changed = differing(differences, question, NAME)
    if isinstance(changed, NotEstimable):
        return changed
    steps, alternative = changed.steps, question.alternative
    n, sides = len(steps), 2 if question.alternative == "two-sided" else 1

    def tail(count: int) -> float:
        """The chance that at most so many of n coins show one side."""
        return float(bdtr(count, n, 0.5))

    below, above = int(np.count_nonzero(steps < 0)), int(np.count_nonzero(steps > 0))
    p = {"greater": tail(below), "less": tail(above), "two-sided": 2 * tail(min(below, above))}[alternative]
    # As many differences may lie beyond an end as still make a test reject.
    beyond = -1
    while sides * tail(beyond + 1) <= 1 - question.level:
        beyond += 1
    low, high = -math.inf, math.inf
    notes: tuple[str, ...] = (
        "the interval is for the median of the queries that differ, the value is the mean of all queries",
    )
    if beyond >= 0:
        low = low if alternative == "less" else changed.back(int(steps[beyond]))
        high = high if alternative == "greater" else changed.back(int(steps[n - 1 - beyond]))
    else:
        notes += (f"no bound at {100 * question.level:.6g}%: the {n} queries that differ are too few for it",)
    return Estimate(
        float(differences.mean()),
        low,
        high,
        min(1.0, p),
        question.level,
        NAME,
        len(differences),
        alternative=alternative,
        null=question.null,
        notes=notes + left_out(differences, changed),
    )


OFFERS = (Significance(name=NAME, page=__doc__, spellings=("sign-test",), infer=infer, about="sign", warning=WARNING),)
