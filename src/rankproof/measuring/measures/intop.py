"""In the top: the share of the relevant documents that is among the first k.

Relevant documents in the first k, over all relevant documents (`over=relevant`, the same number as R@k) or
over those that the ranking has anywhere (`over=found`): the latter asks only how high the ranking puts what
it has.

range: 0 to 1
undefined: the query has no relevant document; with over=found, none was found; counts as 0
source: rankproof

Four relevant documents; two found, one of them in the first 3:

>>> from rankproof.testing import value
>>> value("InTop@3", ranking=[0, 1, 0, 1], pool=[1, 1, 1, 1, 0, 0])
0.25
>>> value("InTop(over=found)@3", ranking=[0, 1, 0, 1], pool=[1, 1, 1, 1, 0, 0])
0.5
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import Ordered, Share
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures.contract import REL, Mask, Measure, Values, Variant

OVER = Param(
    "over",
    Choice(("relevant", "found")),
    "relevant",
    "divide by all relevant documents, or by those that the ranking has",
)


def divisor(table: JudgedTable, variant: Variant) -> NDArray[np.int64]:
    """All relevant documents, or those that the ranking has."""
    if variant["over"] == "found":
        return table.relevant_retrieved(variant["rel"])
    return table.pool.relevant(variant["rel"])


def divided(top: Values, table: JudgedTable, variant: Variant) -> Values:
    """A number of relevant documents over the divisor."""
    bottom = divisor(table, variant)
    return np.divide(top, bottom, out=np.zeros(len(table)), where=bottom > 0)


def in_top(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first k, divided."""
    return divided(table.relevant_retrieved(variant["rel"], variant.k).astype(float), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being in the first k."""
    assert variant.k is not None
    probability = probability_within(table, variant.k)
    return divided(table.sum(table.relevant(variant["rel"]) * probability), table, variant)


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """There is nothing to divide by."""
    none: Mask = divisor(table, variant) == 0
    return none


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The divisor in words."""
    over_retrieved = variant["over"] == "found"
    return "over the relevant documents found" if over_retrieved else "over all relevant documents"


def depends(variant: Variant) -> Ordered | Share:
    """Hits over relevant documents; with over=found, documents that were not retrieved play no part."""
    if variant["over"] == "found":
        return Ordered(variant["rel"], "retrieved")
    return Share(variant.k, variant["rel"], lambda relevant: relevant)


OFFERS = (
    Measure(
        name="InTop",
        page=__doc__,
        formula=r"\mathrm{InTop@}k = \frac{1}{R} \sum_{i=1}^{k} r_i",
        compute=in_top,
        params=(OVER, REL),
        cutoff="required",
        undefined=undefined,
        fine_print=fine_print,
        expected=expected,
        depends=depends,
        spellings=("intop", "in_top"),
    ),
)
