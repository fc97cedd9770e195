"""Binary G: each relevant document counts the less, the more others stand above it.

The mean over the relevant documents of 1 / log2(2 + n), where n is the number of documents above that are not
relevant; a relevant document that was not retrieved adds 0. See G for graded judgments.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Buckley, trec_eval's binG, 2008 (experimental there)

Nothing above the first relevant document, one other above the second: (1 + 1/log2(3)) / 2:

>>> from rankproof.testing import value
>>> value("BinG", ranking=[1, 0, 1])
0.8155
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered


def binary_g(table: JudgedTable, variant: Variant) -> Values:
    """Discounted by what stands above, over relevant documents."""
    hit = table.relevant(variant["rel"])
    others = table.rank - table.running(hit)
    # Rows that are not relevant stand among their own `others`; they add nothing.
    return share(table.sum(hit / np.log2(2.0 + others)), table.pool.relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="BinG",
        page=__doc__,
        formula=(
            r"\mathrm{BinG} = \frac{1}{R} \sum_{i=1}^{n} \frac{r_i}{\log_2 \left( 2 + \sum_{j<i} (1 - r_j) "
            r"\right)}"
        ),
        compute=binary_g,
        params=(REL,),
        cutoff="none",
        depends=ordered,
        spellings=("bing",),
    ),
)
