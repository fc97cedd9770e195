"""nDCG averaged over the ranks where the ideal ranking passes from one gain to the next.

B are those ranks. With 5 documents of gain 3 and 3 of gain 2 in the pool, the mean of nDCG@5 and nDCG@8; a ranking
with more than one document after those 8 adds the nDCG of the whole ranking as one more point.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Buckley, trec_eval's Rndcg (experimental there)

The pool has one document of gain 2 and one of gain 1, both found in the wrong order. nDCG@1 is 1/2, nDCG@2 is
(1 + 2/log2(3)) / (2 + 1/log2(3)) = 0.8597:

>>> from rankproof.testing import value
>>> value("Rndcg", ranking=[1, 2])
0.6799
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring import gain as d
from rankproof.measuring.gain import gain_of
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures._running import reached, running_ideal, running_sum
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant
from rankproof.measuring.measures.g import fine_print
from rankproof.measuring.measures.ndcg import GAIN


def ndcg_at_levels(table: JudgedTable, variant: Variant) -> Values:
    """nDCG where the ideal gain changes, averaged."""
    gain, pool = variant["gain"], table.pool
    best = d.best_gains(pool, gain)
    after = np.append(best[1:], 0.0)
    ends = np.append(pool.query[1:] != pool.query[:-1], True)[: len(best)]
    points = np.flatnonzero((best > 0) & (ends | (after[: len(best)] != best)))
    ideal = running_ideal(pool, best / d.discount(pool.position, "log2"))
    so_far = running_sum(table, gain_of(table.grade, gain) / d.discount(table.rank, "log2"))
    query = pool.query[points]
    at_points = reached(table, so_far, query, pool.position[points]) / ideal[points]
    total = np.bincount(query, weights=at_points, minlength=len(table))
    number = np.bincount(query, minlength=len(table))
    whole = share(d.dcg(table, None, gain, 0, "log2"), d.ideal_dcg(pool, None, gain, 0, "log2"))
    # One document beyond the ideal ones is not yet a point of its own in trec_eval.
    beyond = (table.retrieved > pool.count(best > 0) + 1) & (number > 0)
    value = share(total + beyond * whole, number + beyond)
    return np.where(pool.relevant(variant["rel"]) > 0, value, 0.0)


OFFERS = (
    Measure(
        name="Rndcg",
        page=__doc__,
        formula=r"\mathrm{Rndcg} = \frac{1}{|B|} \sum_{b \in B} \mathrm{nDCG@}b",
        compute=ndcg_at_levels,
        params=(GAIN, REL),
        cutoff="none",
        fine_print=fine_print,
        prefers="nothing known",
        spellings=("rndcg",),
    ),
)
