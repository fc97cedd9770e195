"""Number of relevant documents retrieved, at any rank or in the first k.

All queries together are the sum.

range: 0 upward
undefined: never; an empty ranking has 0
source: trec_eval's num_rel_ret

>>> from rankproof.testing import value
>>> value("NumRelRet", ranking=[1, None, 0, 2])
2.0
>>> value("NumRelRet@3", ranking=[1, None, 0, 2])
1.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import Linear, first, is_relevant
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, never


def relevant_retrieved(table: JudgedTable, variant: Variant) -> Values:
    """Relevant documents in the ranking, or in its first k."""
    return table.relevant_retrieved(variant["rel"], variant.k).astype(np.float64)


def depends(variant: Variant) -> Linear:
    """Each relevant document in the first k adds 1."""
    return Linear(first(variant.k), is_relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="NumRelRet",
        page=__doc__,
        formula=r"\mathrm{NumRelRet@}k = \sum_{i=1}^{k} r_i",
        compute=relevant_retrieved,
        params=(REL,),
        undefined=never,
        aggregate="sum",
        high=math.inf,
        whole=True,
        expected=relevant_retrieved,  # no order changes a set
        depends=depends,
        spellings=("numrelret", "hits"),
    ),
)
