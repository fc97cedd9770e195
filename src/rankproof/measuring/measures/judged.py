"""Judged: the share of the first k documents that somebody judged.

Documents with a judgment among the first k, over the documents returned (at most k); `denominator=k` divides by k. A
low share says that the judgments say little about this ranking.

range: 0 to 1
undefined: never; an empty ranking has 0
source: Büttcher et al., Reliable information retrieval evaluation with incomplete and biased judgements, SIGIR 2007

>>> from rankproof.testing import value
>>> value("Judged@10", ranking=[1, None, 0, 0])
0.75
>>> value("Judged(denominator=k)@10", ranking=[1, None, 0, 0])
0.3
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures.contract import Measure, Values, Variant, never

DENOMINATOR = Param(
    "denominator", Choice(("returned", "k")), "returned", "divide by min(k, documents returned), or by k"
)


def seen(table: JudgedTable, variant: Variant) -> Values:
    """Documents in the first k, as many as there are."""
    k = variant.k
    return (table.retrieved if k is None else np.minimum(table.retrieved, k)).astype(np.float64)


def bottom(table: JudgedTable, variant: Variant) -> Values:
    """What a count is divided by."""
    if variant["denominator"] == "k" and variant.k is not None:
        return np.full(len(table), float(variant.k))
    return seen(table, variant)


def judged_share(table: JudgedTable, variant: Variant) -> Values:
    """Judged in the first k, divided."""
    return share(table.count(table.judged & table.within(variant.k)), bottom(table, variant))


def expected_count(table: JudgedTable, variant: Variant) -> Values:
    """Judged documents in the first k, as the mean over all orders of tied documents."""
    probability = 1.0 if variant.k is None else probability_within(table, variant.k)
    return table.sum(table.judged * probability)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The expected count, divided."""
    return share(expected_count(table, variant), bottom(table, variant))


OFFERS = (
    Measure(
        name="Judged",
        page=__doc__,
        formula=r"\mathrm{Judged@}k = \frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)} [d_i \text{ is judged}]",
        compute=judged_share,
        params=(DENOMINATOR,),
        undefined=never,
        better="neither",
        prefers="judged",
        expected=expected,
        depends=fixed("says what is judged now"),
        spellings=("judged",),
    ),
)
