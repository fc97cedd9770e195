"""Sign-flip randomization test: how often a random relabeling of both systems gives as large a mean difference.

Where the systems are alike, each query's difference is as likely to have either sign. The p-value is the share of sign
flips whose mean is at least as far out as the observed one: of all 2^n flips where they are no more than the resamples
asked for, of random ones otherwise, with the observed one counted in. The two-sided p-value is twice the smaller
one-sided one. It assumes that differences about the tested mean are symmetric, not that they are normal.

The interval is every mean that the same test, with the same flips, does not reject. Its ends are means of d over
flipped subsets of queries: a flip moves the sum of (d - delta) to the other side exactly where delta passes that mean.

about: the mean
source: Fisher, The Design of Experiments, 1935; the interval: Hartigan, Using subsample values as typical values, JASA
64, 1969; the count: Phipson and Smyth, Permutation p-values should never be zero, 2010; for IR: Smucker, Allan and
Carterette, CIKM 2007

Differences 1, 2, 3, 4, 5, 6: of 64 flips only the observed one, which flips nothing, has a sum of 21 or more: p = 2/64.
At 95% one flip may lie beyond each end of the interval, so the ends are the next means: 1 (flip the 1) and 6. At 90%
three may: nothing, {1} with mean 1 and {1, 2} with mean 1.5, and the next is {2}.

>>> from rankproof.testing.inference import inferred
>>> inferred("randomization", [1, 2, 3, 4, 5, 6])
'3.5 [1, 6] p = 0.03125'
>>> inferred("randomization", [1, 2, 3, 4, 5, 6], level=0.9)
'3.5 [2, 5] p = 0.03125'
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.records.estimate import Answer
from rankproof.significance import _typical
from rankproof.significance._answered import Some, answered
from rankproof.significance._contract import Differences, Question, Significance
from rankproof.significance._flips import Flips
from rankproof.significance._spans import batches, spans
from rankproof.significance._together import KEPT, together

NAME = "randomization"


def infer(differences: Differences, question: Question, chance: np.random.Generator) -> Answer:
    """Test and interval of one set of differences."""
    return infer_many(differences[:, None], question, chance)[0]


def infer_many(differences: Differences, question: Question, chance: np.random.Generator) -> list[Answer]:
    """The same for every column, with the same flips for all: one matrix product, and a subtraction for each pair."""

    def ask(columns: NDArray[np.float64]) -> Some:
        flips = Flips(len(columns), question.resamples, chance)
        made_of = spans(columns)
        for batch, needed in batches(made_of, KEPT // len(flips)):
            means = dict(zip(needed, flips.means(columns[:, needed]), strict=True))

            def one(i: int, means: dict[int, NDArray[np.float64]] = means) -> Answer:
                first, second = made_of[i]
                typical = means[first] if second is None else means[first] - means[second]
                return _typical.answer(columns[:, i], typical, flips.counted, question, NAME)

            yield batch, together(one, batch)

    return answered(differences, NAME, ask)


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, infer_many=infer_many, random=True),)
