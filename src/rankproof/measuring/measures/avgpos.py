"""Average position: the mean rank of the relevant documents that were found. Lower is better.

It says nothing about the relevant documents that were not found: read it beside recall. Queries where none
was found are left out of the mean, because a 0 would beat rank 1.

range: 1 to infinity
undefined: no relevant document was found; left out of the mean
source: rankproof

>>> from rankproof.testing import value
>>> value("AvgPos", ranking=[1, 0, 0, 1])
2.5
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import Ordered
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Mask, Measure, Values, Variant


def average_position(table: JudgedTable, variant: Variant) -> Values:
    """Sum of the ranks of relevant documents over their number."""
    return over_retrieved(table.sum(table.relevant(variant["rel"]) * table.rank), table, variant)


def over_retrieved(total: Values, table: JudgedTable, variant: Variant) -> Values:
    """Turns a sum over the retrieved relevant documents into their mean; NaN where there is none."""
    retrieved = table.relevant_retrieved(variant["rel"])
    mean: Values = np.divide(total, retrieved, out=np.full(len(table), math.nan), where=retrieved > 0)
    return mean


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each row is on average in the middle of its tie group."""
    middle = (table.tie_first + table.tie_last) / 2.0
    return over_retrieved(table.sum(table.relevant(variant["rel"]) * middle), table, variant)


def none_retrieved(table: JudgedTable, variant: Variant) -> Mask:
    """No relevant document is in the ranking."""
    none: Mask = table.relevant_retrieved(variant["rel"]) == 0
    return none


def worth(table: JudgedTable, variant: Variant) -> Values:
    """A relevant document moved up makes positions smaller."""
    return -table.relevant(variant["rel"]).astype(np.float64)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Over what, and which way is better."""
    return "over the relevant documents found; lower is better; queries where none was found are left out"


def depends(variant: Variant) -> Ordered:
    """Relevant or not; documents elsewhere play no part."""
    return Ordered(variant["rel"], "retrieved", falls=True)


OFFERS = (
    Measure(
        name="AvgPos",
        page=__doc__,
        formula=r"\mathrm{AvgPos} = \frac{\sum_{i=1}^{n} r_i \, i}{\sum_{i=1}^{n} r_i}",
        compute=average_position,
        params=(REL,),
        cutoff="none",
        undefined=none_retrieved,
        skips_undefined=True,
        better="lower",
        low=1.0,
        high=math.inf,
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("avgpos", "average_position"),
    ),
)
