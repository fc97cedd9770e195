"""Relative precision: precision of the first k documents over the best it could be.

Relevant documents in the first k, over the smaller of k and the number of relevant documents: precision as long as
k is at most R, recall after that. The same as `R(denominator=min_k)@k`.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: trec_eval's relative_P

Two of three relevant documents in the first five:

>>> from rankproof.testing import value
>>> value("RelP@5", ranking=[1, 0, 1], pool=[1, 1, 1, 0])
0.6667
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Share
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures._expected import Counts, probability_within
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def relative_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first k, over the most there could be."""
    return share(table.relevant_retrieved(variant["rel"], variant.k), possible(table, variant))


def possible(table: JudgedTable, variant: Variant) -> Counts:
    """The most relevant documents that the first k could hold."""
    assert variant.k is not None
    return np.minimum(table.pool.relevant(variant["rel"]), variant.k)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being in the first k."""
    assert variant.k is not None
    hits = table.sum(table.relevant(variant["rel"]) * probability_within(table, variant.k))
    return share(hits, possible(table, variant))


def depends(variant: Variant) -> Share:
    """Hits over the most possible."""
    k = variant.k
    assert k is not None
    return Share(k, variant["rel"], lambda relevant: np.minimum(relevant, k))


OFFERS = (
    Measure(
        name="RelP",
        page=__doc__,
        formula=r"\mathrm{RelP@}k = \frac{1}{\min(k, R)} \sum_{i=1}^{k} r_i",
        compute=relative_precision,
        params=(REL,),
        cutoff="required",
        expected=expected,
        depends=depends,
        spellings=("relp",),
    ),
)
