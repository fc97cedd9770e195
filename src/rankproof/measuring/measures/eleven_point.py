"""Eleven-point average: the mean of interpolated precision at recall 0, 0.1, ..., 1.

The way average precision was measured before TREC-2; kept to compare with old results. `recall` sets other levels.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Salton and McGill, Introduction to modern information retrieval, 1983; trec_eval's 11pt_avg

Both relevant documents at ranks 1 and 3: six levels up to 0.5 ask for the first of them and get 1, five get 2/3:

>>> from rankproof.testing import value
>>> value("11pt(rounding=plus_0.9)", ranking=[1, 0, 1])
0.8485
>>> value("11pt(recall=0.5;1)", ranking=[1, 0, 1])
0.8333
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Numbers, Param
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._recall import ROUNDING, interpolated
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered

LEVELS = Param("recall", Numbers(), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "the levels of recall")


def eleven_point(table: JudgedTable, variant: Variant) -> Values:
    """Interpolated precision, averaged over the levels."""
    total = np.zeros(len(table))
    for level in variant["recall"]:
        total += interpolated(table, variant["rel"], level, variant["rounding"])
    return total / len(variant["recall"])


OFFERS = (
    Measure(
        name="11pt",
        page=__doc__,
        formula=r"\mathrm{11pt} = \frac{1}{11} \sum_{l \in \{0,\, 0.1,\, \ldots,\, 1\}} \mathrm{IPrec@}l",
        compute=eleven_point,
        params=(LEVELS, REL, ROUNDING),
        cutoff="none",
        depends=ordered,
        spellings=("11pt_avg",),
    ),
)
