"""Binary preference: how seldom a relevant document stands below one that was judged not relevant.

With R relevant and N judged nonrelevant documents: the mean over the relevant documents of
1 - min(N_i, R) / min(N, R), where N_i is the number of judged nonrelevant documents above rank i; a relevant document
that was not retrieved adds 0. Unjudged documents play no part, which makes it fit for incomplete judgments.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004; corrected as in trec_eval

Two relevant documents, one of them below one of two nonrelevant ones; the unjudged document does not matter:

>>> from rankproof.testing import value
>>> value("Bpref", ranking=[1, None, 0, 1, 0])
0.75
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Ordered
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def binary_preference(table: JudgedTable, variant: Variant) -> Values:
    """Preferences that hold, over relevant documents."""
    rel = variant["rel"]
    relevant = table.pool.relevant(rel)
    nonrelevant = table.pool.count(table.pool.judged & (table.pool.grade < rel))
    above = table.running(table.judged & ~table.relevant(rel))
    most = np.minimum(nonrelevant, relevant)[table.query]
    broken = np.divide(np.minimum(above, relevant[table.query]), most, out=np.zeros(len(above)), where=above * most > 0)
    preferred = table.sum(table.relevant(rel) * (1.0 - broken))
    return np.divide(preferred, relevant, out=np.zeros(len(preferred)), where=relevant > 0)


def depends(variant: Variant) -> Ordered:
    """Relevant or not, the higher the better; one more relevant document can also make room for others."""
    return Ordered(variant["rel"])


OFFERS = (
    Measure(
        name="Bpref",
        page=__doc__,
        formula=r"\mathrm{Bpref} = \frac{1}{R} \sum_{i=1}^{n} r_i \left( 1 - \frac{\min(N_i, R)}{\min(N, R)} \right)",
        compute=binary_preference,
        params=(REL,),
        cutoff="none",
        depends=depends,
        spellings=("bpref",),
    ),
)
