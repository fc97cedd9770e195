"""Yet another average precision: AP on a scale where differences near 0 and near 1 do not shrink.

log((1 + s) / (1 + R - s)), where s is the sum of the precision at each relevant rank and R the number of relevant
documents: within a query in the order of AP, but fitter to be averaged over queries.

range: any number
undefined: the query has no relevant document; counts as 0
source: Robertson, On smoothing average precision, ECIR 2012; trec_eval's yaap

Relevant documents at ranks 1 and 3 of a pool with 2: s is 5/3, log((8/3) / (4/3)):

>>> from rankproof.testing import value
>>> value("YAAP", ranking=[1, 0, 1])
0.6931
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import PrecisionSum
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def smoothed(table: JudgedTable, variant: Variant) -> Values:
    """The logarithm of the smoothed odds."""
    hit = table.relevant(variant["rel"])
    total = table.sum(hit * table.running(hit) / table.rank)
    odds: Values = np.log((1.0 + total) / (1.0 + table.pool.relevant(variant["rel"]) - total))
    return odds


def depends(variant: Variant) -> PrecisionSum:
    """The odds rise with the sum of precisions and fall with the relevant documents."""

    def odds(total: Values, hits: Values, relevant: Values) -> Values:
        logs: Values = np.log((1.0 + total) / (1.0 + relevant - total))
        return logs

    return PrecisionSum(None, variant["rel"], odds, ratio=False)


OFFERS = (
    Measure(
        name="YAAP",
        page=__doc__,
        formula=r"\mathrm{YAAP} = \ln \frac{1 + s}{1 + R - s}, \qquad s = \sum_{i=1}^{n} r_i \cdot \mathrm{P@}i",
        compute=smoothed,
        params=(REL,),
        cutoff="none",
        low=-math.inf,
        high=math.inf,
        depends=depends,
        spellings=("yaap",),
    ),
)
