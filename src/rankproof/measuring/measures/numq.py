"""Number of queries: how many the numbers beside it stand on.

1 for every query that is scored. All queries together are the sum.

range: 1 to 1
undefined: never; an empty ranking has 1
source: trec_eval's num_q

>>> from rankproof.testing import value
>>> value("NumQ", ranking=[1, 0])
1.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant, never


def one(table: JudgedTable, variant: Variant) -> Values:
    """1 for each query."""
    return np.ones(len(table))


OFFERS = (
    Measure(
        name="NumQ",
        page=__doc__,
        formula=r"\mathrm{NumQ} = |Q|",
        compute=one,
        cutoff="none",
        undefined=never,
        aggregate="sum",
        better="neither",
        low=1.0,
        whole=True,
        expected=one,  # no order changes a set
        depends=fixed("counts queries"),
        spellings=("numq",),
    ),
)
