"""Paired t-test: the mean difference over its standard error, against Student's distribution.

It assumes that the queries are a random sample and that the mean of their differences is near to normal, which the
central limit theorem brings about long before the differences themselves look normal. With few queries and a few very
large differences its intervals are too short on the side of the long tail. The interval is every mean that the test
does not reject.

about: the mean
source: Student, The probable error of a mean, Biometrika 6(1), 1908; for IR: Smucker, Allan and Carterette, A
comparison of statistical significance tests for information retrieval evaluation, CIKM 2007

Differences 1, 2, 3, 4: mean 2.5, standard deviation 1.2910, standard error 0.6455, t = 3.873 with 3 degrees of freedom:

>>> from rankproof.testing.statistics import inferred
>>> inferred("t", [1, 2, 3, 4])
'2.5 [0.446, 4.55] p = 0.03047'
>>> inferred("t", [0.1, 0.1, 0.1])
'not estimable: every query differs by the same 0.1: without spread nothing says what chance can do'
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.estimate import Answer
from rankproof.proving.significance._student import by_columns
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "t"


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Student's test and interval of one set of differences; nothing is random."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """The same for every column at once."""
    return by_columns(differences, question, NAME, np.full(differences.shape[1], len(differences) - 1.0))


OFFERS = (
    Significance(
        name=NAME,
        page=__doc__,
        spellings=("t-test", "ttest", "paired-t", "paired-t-test", "student"),
        infer=infer,
        infer_many=infer_many,
        sampled=True,
    ),
)
