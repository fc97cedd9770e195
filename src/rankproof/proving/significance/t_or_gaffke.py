"""Paired t-test, or Gaffke's bound where few queries changed: the default.

A change of a search engine leaves most queries as they are. On such pairs the t interval is too short, whatever their
number: with 60% and more of the queries unchanged it lets a true regression pass in up to 31 of 100 cases where 5 are
promised. So t is used where at least 12 queries, and at least half of all, changed, and not all by the same; else the
bounds are Gaffke's, which need only the range of one difference. The rule looks at how many queries changed and never
at which way.

about: the mean
source: Student, The probable error of a mean, Biometrika 6(1), 1908; Gaffke, Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14, 2005; for the rule
docs/statistics.md, where it is simulated as a whole

>>> from rankproof.testing.statistics import inferred
>>> inferred("t_or_gaffke", [0.1, 0.2, 0.0, 0.4, 0.1, -0.1, 0.3, 0.2, -0.2, 0.1, 0.1, 0.3, 0.2], low=-1, high=1)
'0.131 [0.0309, 0.231] p = 0.01454'
>>> inferred("t_or_gaffke", [0.1, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], low=-1, high=1)
'0.07 [-0.265, 0.364] p = 1'
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.proving.significance.contract import SAME, Differences, Significance, SignificanceRequest

NAME = "t_or_gaffke"
# Fewer changed queries than this, or than this share of all, are few.
LEAST_CHANGED, LEAST_SHARE = 12, 0.5


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """By t or by Gaffke's bounds."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """Columns with enough changed queries by t, all together; the others one by one."""
    student, bounds = (shelf.find("significance", name) for name in ("t", "gaffke"))
    answers: list[Answer] = student.many(differences, question, rng)
    n = len(differences)
    for at, changed in enumerate(changed_queries(differences).tolist()):
        if isinstance(answers[at], Estimate) and enough_changed(changed, n):
            continue
        found = bounds.infer(np.ascontiguousarray(differences[:, at]), question, rng)
        if isinstance(found, Estimate):
            found = replace(
                found, notes=(*found.notes, f"{changed} of {n} queries changed: bounds by Gaffke, not by t")
            )
        answers[at] = found
    return answers


def changed_queries(differences: Differences) -> NDArray[np.int64]:
    """How many rows of each column are not 0 but for rounding."""
    sizes = np.abs(differences)
    largest = sizes.max(axis=0, initial=0.0)
    return np.asarray(np.count_nonzero(sizes > SAME * largest, axis=0), dtype=np.int64)


def enough_changed(changed: int, n: int) -> bool:
    """Whether t may be used: by the number of changed queries, never by their direction."""
    return changed >= LEAST_CHANGED and changed >= LEAST_SHARE * n


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, infer_many=infer_many, bounded=True),)
