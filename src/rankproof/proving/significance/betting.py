"""Bounds by betting: the mean of values with a known range, proven for every distribution.

Somebody bets against "the mean is at most m" on one difference after the other, each time with a stake that depends on
the ones before only. Where the mean is at most m the capital grows twentyfold with probability 1/20 at most, whatever
the distribution, so every m at which it does is rejected; the bound is the least m that is not. The differences are
taken in an order that a fixed seed draws from their sorted values: the order of a file does not matter.

Its intervals are longer than those of `gaffke`, which has no proof for every distribution.

about: the mean
source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86(1), 2024
(predictable plug-in bets); Ville, Etude critique de la notion de collectif, 1939

Twenty hits of twenty:

>>> from rankproof.testing.statistics import inferred
>>> inferred("betting", [1] * 20, low=0, high=1, null=0.8, alternative="greater")
'1 [0.823, inf] p = 0.03216'
>>> inferred("betting", [1, 2, 3])
'not estimable: the range of one difference is not known'
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.estimate import Answer
from rankproof.proving.bounded_mean import betting_bound, betting_p
from rankproof.proving.significance._bounded import OneSided, answered_by_bounds
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

NAME = "betting"
_SEED = 20_240_101


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """By the bounds of one set of differences; its order is fixed, so nothing is random."""
    return answered_by_bounds(differences, question, NAME, OneSided(_p, _bound))


def _p(values: Differences, worst: float, best: float, threshold: float) -> float:
    return betting_p(_in_order(values), worst, best, threshold)


def _bound(values: Differences, worst: float, best: float, level: float) -> float:
    return betting_bound(_in_order(values), worst, best, level)


def _in_order(values: Differences) -> Differences:
    """The order of the bets: that of the file does not matter, and the other side is the mirror image."""
    return np.sort(values)[np.random.default_rng(_SEED).permutation(len(values))]


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, bounded=True),)
