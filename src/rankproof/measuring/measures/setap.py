"""Set average precision: set precision times set recall.

Each relevant document that was retrieved counts with the precision of the whole set, the others with 0.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: trec_eval's set_map

Two of four relevant documents in a set of three: 2/3 times 1/2:

>>> from rankproof.testing import value
>>> value("SetAP", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.3333
"""

from __future__ import annotations

from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered


def set_average_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant retrieved squared, over retrieved times relevant."""
    hits = table.relevant_retrieved(variant["rel"])
    return share(hits * hits, table.retrieved * table.pool.relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="SetAP",
        page=__doc__,
        formula=r"\mathrm{SetAP} = \mathrm{SetP} \cdot \mathrm{SetR}",
        compute=set_average_precision,
        params=(REL,),
        cutoff="none",
        expected=set_average_precision,  # no order changes a set
        depends=ordered,
        spellings=("setap",),
    ),
)
