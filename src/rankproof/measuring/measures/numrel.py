"""Number of relevant documents: how many there are to find, by the judgments.

Not a measure of quality, but what other numbers stand on. All queries together are the sum.

range: 0 upward
undefined: never; an empty ranking has as many as any other
source: trec_eval's num_rel

>>> from rankproof.testing import value
>>> value("NumRel", ranking=[1, 0], pool=[1, 2, 0, 0])
2.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import Linear, first, is_relevant
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, never


def relevant(table: JudgedTable, variant: Variant) -> Values:
    """Relevant documents in the qrels."""
    return table.pool.relevant(variant["rel"]).astype(np.float64)


def depends(variant: Variant) -> Linear:
    """Each relevant document adds 1, retrieved or not."""
    return Linear(first(None), is_relevant(variant["rel"]), elsewhere=1.0)


OFFERS = (
    Measure(
        name="NumRel",
        page=__doc__,
        formula=r"\mathrm{NumRel} = R",
        compute=relevant,
        params=(REL,),
        cutoff="none",
        undefined=never,
        aggregate="sum",
        better="neither",
        high=math.inf,
        whole=True,
        expected=relevant,  # no order changes a set
        depends=depends,
        spellings=("numrel",),
    ),
)
