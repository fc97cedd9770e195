"""Set precision: the share of relevant documents among all that were retrieved.

Relevant documents retrieved, over documents retrieved, however many that are. 0 for an empty ranking.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Cleverdon, Mills and Keen, Factors determining the performance of indexing systems, 1966; trec_eval's set_P

>>> from rankproof.testing import value
>>> value("SetP", ranking=[1, 0, 1])
0.6667
"""

from __future__ import annotations

from rankproof.measuring.dependence import Linear, is_relevant
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def set_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant retrieved, over retrieved."""
    return share(table.relevant_retrieved(variant["rel"]), table.retrieved)


def depends(variant: Variant) -> Linear:
    """Each relevant document retrieved adds 1 over all of them."""
    return Linear(lambda rank, retrieved: 1.0 / retrieved, is_relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="SetP",
        page=__doc__,
        formula=r"\mathrm{SetP} = \frac{1}{n} \sum_{i=1}^{n} r_i",
        compute=set_precision,
        params=(REL,),
        cutoff="none",
        expected=set_precision,  # no order changes a set
        depends=depends,
        spellings=("setp", "set_precision", "id_based_context_precision", "IDBasedContextPrecision"),
    ),
)
