"""Set recall: the share of the relevant documents that was retrieved at any rank.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Cleverdon, Mills and Keen, Factors determining the performance of indexing systems, 1966; trec_eval's
    set_recall

>>> from rankproof.testing import value
>>> value("SetR", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.5
"""

from __future__ import annotations

from rankproof.measuring.dependence import Share
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def set_recall(table: JudgedTable, variant: Variant) -> Values:
    """Relevant retrieved, over relevant."""
    return share(table.relevant_retrieved(variant["rel"]), table.pool.relevant(variant["rel"]))


def depends(variant: Variant) -> Share:
    """Hits over relevant documents."""
    return Share(None, variant["rel"], lambda relevant: relevant)


OFFERS = (
    Measure(
        name="SetR",
        page=__doc__,
        formula=r"\mathrm{SetR} = \frac{1}{R} \sum_{i=1}^{n} r_i",
        compute=set_recall,
        params=(REL,),
        cutoff="none",
        expected=set_recall,  # no order changes a set
        depends=depends,
        spellings=("setr", "id_based_context_recall", "IDBasedContextRecall"),
    ),
)
