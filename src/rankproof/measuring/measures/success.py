"""Success: whether any of the first k documents is relevant. Its mean is known as the hit rate.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Craswell and Hawking, Overview of the TREC 2004 web track, 2004; trec_eval's success

>>> from rankproof.testing import value
>>> value("Success@3", ranking=[0, 0, 1])
1.0
>>> value("Success@2", ranking=[0, 0, 1])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Best, first
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import over_hits
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def success(table: JudgedTable, variant: Variant) -> Values:
    """1 where a relevant document is in the first k."""
    return (table.relevant_retrieved(variant["rel"], variant.k) > 0).astype(np.float64)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The probability that some relevant document is in the first k."""
    assert variant.k is not None
    return over_hits(table, table.relevant(variant["rel"]), variant.k, lambda hits: (hits > 0).astype(np.float64))


def depends(variant: Variant) -> Best:
    """One relevant document in the first k is enough."""
    return Best(first(variant.k), variant["rel"])


OFFERS = (
    Measure(
        name="Success",
        page=__doc__,
        formula=r"\mathrm{Success@}k = \max_{i \leq k} r_i",
        compute=success,
        params=(REL,),
        cutoff="required",
        expected=expected,
        depends=depends,
        spellings=("success", "hit_rate", "hitrate", "hit", "top_k_accuracy"),
    ),
)
