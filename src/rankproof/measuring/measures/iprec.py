"""Interpolated precision at a level of recall: the best precision at or below the rank where the level is reached.

A point of the recall-precision graph. Level r stands for r R of the R relevant documents, made whole by `rounding`.
0 where the ranking does not reach the level; level 0 is the best precision anywhere.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Salton and McGill, Introduction to modern information retrieval, 1983; trec_eval's iprec_at_recall

Relevant documents at ranks 2 and 3 of a pool with 4: precision 1/2 and 2/3, then nothing:

>>> from rankproof.testing import value
>>> value("IPrec@0.25", ranking=[0, 1, 1], pool=[1, 1, 1, 1, 0])
0.6667
>>> value("IPrec@0.75", ranking=[0, 1, 1], pool=[1, 1, 1, 1, 0])
0.0
"""

from __future__ import annotations

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._recall import ROUNDING, interpolated
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered


def interpolated_precision(table: JudgedTable, variant: Variant) -> Values:
    """Best precision from the level on."""
    assert variant.at is not None
    return interpolated(table, variant["rel"], variant.at, variant["rounding"])


OFFERS = (
    Measure(
        name="IPrec",
        page=__doc__,
        formula=r"\mathrm{IPrec@}l = \max_{i \,:\, r_1 + \cdots + r_i \,\geq\, \mathrm{round}(l R)} \mathrm{P@}i",
        compute=interpolated_precision,
        params=(REL, ROUNDING),
        cutoff="recall",
        depends=ordered,
        spellings=("iprec",),
    ),
)
