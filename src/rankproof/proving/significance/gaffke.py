"""Gaffke's bound: the mean of values with a known range, for few changed queries and for discrete values.

The observed differences and one worst value get the weights of a uniform Dirichlet distribution; the quantile of their
weighted mean is the bound. It asks for no normal mean and no number of changed queries, only for the range of one
difference (from -1 to 1 for a measure from 0 to 1). It depends on no order, a better value never lowers it, and where
values are 0 and 1 it is the exact bound of Clopper and Pearson. A two-sided interval is two one-sided bounds, each with
half of the error.

Where queries have weights or come in clusters, the values are the means of clusters, each of which counts by its
weight, and the worst value counts as much as the heaviest. Strata are left out of account: bounds are longer for it.

What it cannot do: what was never seen is taken for possible. A candidate whose values never change is within 0.02 of
its baseline, at 95%, from 149 queries on.

That it holds for every distribution is not proven; no counterexample is known, and simulations have found none. The
item `betting` is proven, with less power.

about: the mean
source: Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable,
Mathematical Methods of Statistics 14, 2005; Learned-Miller and Thomas, A new confidence interval for the mean of a
bounded random variable, 2019

Ten queries, of which one changed, by 1:

>>> from rankproof.testing.statistics import inferred
>>> inferred("gaffke", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], low=-1, high=1)
'0.1 [-0.259, 0.445] p = 1'
>>> inferred("gaffke", [0.0] * 149, low=-1, high=1, alternative="greater")
'0 [-0.0199, inf] p = 1'
>>> inferred("gaffke", [1, 2, 3])
'not estimable: the range of one difference is not known'
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.kernel.estimate import Answer, NotEstimable
from rankproof.proving.bounded_mean import Weighted, gaffke_bound, gaffke_p, sized_gaffke_bound, sized_gaffke_p
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance._bounded import OneSided, answered_by_bounds
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "gaffke"


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """By the bounds of one set of differences; nothing is random."""
    if question.sampling is not None and len(differences) > 1:
        return _sampled(differences, question, question.sampling)
    return answered_by_bounds(differences, question, NAME, OneSided(_p, _bound))


def _sampled(differences: Differences, question: SignificanceRequest, sampling: Sampling) -> Answer:
    """By the means of clusters, which count by their weights."""
    n, mean, sizes = len(differences), sampling.mean(differences), sampling.sizes
    if len(sizes) < 2:
        return NotEstimable(sampling.why_no_error, NAME, n, mean)

    def p(values: Differences, worst: float, best: float, threshold: float) -> float:
        return sized_gaffke_p(values, sizes, worst, threshold)

    def bound(values: Differences, worst: float, best: float, level: float) -> float:
        return sized_gaffke_bound(values, sizes, worst, level)

    answer = answered_by_bounds(sampling.cluster_means(differences), question, NAME, OneSided(p, bound))
    return replace(answer, n=n, value=mean)


def _p(values: Differences, worst: float, best: float, threshold: float) -> float:
    return gaffke_p(Weighted.of(values), worst, threshold)


def _bound(values: Differences, worst: float, best: float, level: float) -> float:
    return gaffke_bound(Weighted.of(values), worst, level)


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, bounded=True, sampled=True),)
