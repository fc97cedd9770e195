"""Relative set precision: set precision over the best that a set of this size could have.

Relevant documents retrieved, over the smaller of documents retrieved and relevant documents.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: trec_eval's set_relative_P

Two relevant documents in a set of three, where three could be:

>>> from rankproof.testing import value
>>> value("SetRelP", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.6667
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered


def relative_set_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant retrieved, over the most there could be."""
    possible = np.minimum(table.retrieved, table.pool.relevant(variant["rel"]))
    return share(table.relevant_retrieved(variant["rel"]), possible)


OFFERS = (
    Measure(
        name="SetRelP",
        page=__doc__,
        formula=r"\mathrm{SetRelP} = \frac{1}{\min(n, R)} \sum_{i=1}^{n} r_i",
        compute=relative_set_precision,
        params=(REL,),
        cutoff="none",
        expected=relative_set_precision,  # no order changes a set
        depends=ordered,
        spellings=("setrelp",),
    ),
)
