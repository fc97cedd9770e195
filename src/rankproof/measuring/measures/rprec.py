"""R-precision: precision after as many documents as there are relevant ones.

With R relevant documents, those among the first R, over R. The rank where precision equals recall.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and evaluation in IR, 2005

Three relevant documents, two of them in the first three:

>>> from rankproof.testing import value
>>> value("Rprec", ranking=[1, 0, 1, 1])
0.6667
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Cut
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures._running import Counts
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def precision_at(table: JudgedTable, rel: int, cut: Counts) -> Values:
    """Precision in the first `cut` documents, over `cut`, which differs from query to query; 0 for cut 0."""
    hits = table.count(table.relevant(rel) & (table.rank <= cut[table.query]))
    return np.divide(hits, cut, out=np.zeros(len(table)), where=cut > 0)


def r_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first R, over R."""
    return precision_at(table, variant["rel"], table.pool.relevant(variant["rel"]))


def expected_at(table: JudgedTable, rel: int, cut: Counts) -> Values:
    """The mean of `precision_at` over all orders of tied documents."""
    hits = table.sum(table.relevant(rel) * probability_within(table, cut))
    return np.divide(hits, cut, out=np.zeros(len(table)), where=cut > 0)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being in the first R."""
    return expected_at(table, variant["rel"], table.pool.relevant(variant["rel"]))


def depends(variant: Variant) -> Cut:
    """Hits in the first R, over R."""
    return Cut(variant["rel"], lambda relevant: relevant)


OFFERS = (
    Measure(
        name="Rprec",
        page=__doc__,
        formula=r"\mathrm{Rprec} = \frac{1}{R} \sum_{i=1}^{R} r_i",
        compute=r_precision,
        params=(REL,),
        cutoff="none",
        expected=expected,
        depends=depends,
        spellings=("rprec", "r_prec", "r_precision"),
    ),
)
