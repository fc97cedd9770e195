"""Number of documents retrieved: how many documents the ranking holds, judged or not.

Not a measure of quality, but what other numbers stand on. All queries together are the sum.

range: 0 upward
undefined: never; an empty ranking has 0
source: trec_eval's num_ret

>>> from rankproof.testing import value
>>> value("NumRet", ranking=[1, None, 0])
3.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant, never


def retrieved(table: JudgedTable, variant: Variant) -> Values:
    """Documents in the ranking."""
    return table.retrieved.astype(np.float64)


OFFERS = (
    Measure(
        name="NumRet",
        page=__doc__,
        formula=r"\mathrm{NumRet} = n",
        compute=retrieved,
        cutoff="none",
        undefined=never,
        aggregate="sum",
        better="neither",
        high=math.inf,
        whole=True,
        expected=retrieved,  # no order changes a set
        depends=fixed("counts documents, whatever their grades"),
        spellings=("numret",),
    ),
)
