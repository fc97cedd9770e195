"""Number of documents retrieved that were judged not relevant, at any rank.

Unjudged documents are not among them. All queries together are the sum.

range: 0 upward
undefined: never; an empty ranking has 0
source: trec_eval's num_nonrel_judged_ret

>>> from rankproof.testing import value
>>> value("NumNonrelJudgedRet", ranking=[1, None, 0, 0])
2.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, never


def nonrelevant_retrieved(table: JudgedTable, variant: Variant) -> Values:
    """Judged documents in the ranking, less the relevant ones."""
    return table.count(table.judged & ~table.relevant(variant["rel"])).astype(np.float64)


OFFERS = (
    Measure(
        name="NumNonrelJudgedRet",
        page=__doc__,
        formula=r"\mathrm{NumNonrelJudgedRet} = \sum_{i=1}^{n} (1 - r_i) \, [d_i \text{ is judged}]",
        compute=nonrelevant_retrieved,
        params=(REL,),
        cutoff="none",
        undefined=never,
        aggregate="sum",
        better="neither",
        high=math.inf,
        whole=True,
        expected=nonrelevant_retrieved,  # no order changes a set
        depends=fixed("counts what is judged now"),
        spellings=("numnonreljudgedret",),
    ),
)
