"""Reciprocal rank: 1 over the rank of the first relevant document. Its mean is known as MRR.

0 when there is no relevant document within the cutoff. `mrr@10` is RR@10, with the cutoff; trec_eval's
`recip_rank` has none.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Voorhees, The TREC-8 question answering track report, 1999

>>> from rankproof.testing import value
>>> value("RR", ranking=[0, 0, 1])
0.3333
>>> value("RR@10", ranking=[0] * 19 + [1])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measures._contract import REL, Measure, Values, Variant
from rankproof.records.judged import JudgedTable


def reciprocal_rank(table: JudgedTable, variant: Variant) -> Values:
    """1 / rank of each query's first relevant row."""
    rows = np.flatnonzero(table.relevant(variant["rel"]) & table.within(variant.k))
    query = table.query[rows]
    values = np.zeros(len(table))
    # Written from the last row to the first, so that the best rank of each query stays.
    values[query[::-1]] = 1.0 / table.rank[rows[::-1]]
    return values


OFFERS = (
    Measure(
        name="RR",
        page=__doc__,
        compute=reciprocal_rank,
        params=(REL,),
        spellings=("rr", "mrr", "reciprocal_rank"),
    ),
)
