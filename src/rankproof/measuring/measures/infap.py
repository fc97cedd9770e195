"""Inferred average precision: what AP would be, estimated from judgments of a random part of the pool.

For each relevant document at rank i: 1/i + (b / i) (R + e) / (R + N + 2e), where of the documents above it b are in
the pool, R are relevant and N are judged not relevant; e is 0.00001. The sum, over the number of relevant documents.
A document is in the pool without a judgment where the qrels hold a grade below 0 and the dialect reads it so
(trec_eval does).

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006

Everything judged: AP, but for e:

>>> from rankproof.testing import value
>>> value("infAP", ranking=[1, 0, 1])
0.8333
>>> value("infAP", ranking=[1, None, 1])
0.8333
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._running import position
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered

EPSILON = 1e-5  # trec_eval's; keeps the share of relevant documents away from 0/0


def inferred_ap(table: JudgedTable, variant: Variant) -> Values:
    """Expected precision at each relevant rank, over relevant documents."""
    hit = table.relevant(variant["rel"])
    # `hit` itself is among the rows up to here; what counts is what stands above.
    relevant = table.running(hit) - 1
    nonrelevant = table.running(table.judged & ~hit)
    share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
    total = table.sum(hit * (1.0 + position(table) * share) / table.rank)
    bottom = table.pool.relevant(variant["rel"])
    return np.divide(total, bottom, out=np.zeros(len(total)), where=bottom > 0)


OFFERS = (
    Measure(
        name="infAP",
        page=__doc__,
        formula=(
            r"\mathrm{infAP} = \frac{1}{R} \sum_{i=1}^{n} r_i \left( \frac{1}{i} + \frac{b_i}{i} \cdot "
            r"\frac{R_i + \varepsilon}{R_i + N_i + 2 \varepsilon} \right), \qquad \varepsilon = 10^{-5}"
        ),
        compute=inferred_ap,
        params=(REL,),
        cutoff="none",
        prefers="nothing known",
        depends=ordered,
        spellings=("infap", "inferred_ap"),
    ),
)
