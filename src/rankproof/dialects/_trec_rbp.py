"""trec_eval 10's own rbp and rbp_resid, which differ from the paper's; only its dialect uses them.

`rbp` takes grades as gains, divides them by the query's top grade when that is above 1, and so knows no relevance
level. `rbp_resid` is 0 when every retrieved document is judged, whatever the ranks below the last could add.

range: 0 to 1
undefined: never; counts as 0 where nothing is relevant or nothing was retrieved
source: trec_eval 10, m_rbp.c and m_rbp_resid.c
"""

from __future__ import annotations

import numpy as np

from rankproof.measures._contract import Measure, Values, Variant, never
from rankproof.measures._gain import gain_of
from rankproof.measures.rbp import PATIENCE, weight
from rankproof.records.judged import JudgedTable


def rbp(table: JudgedTable, variant: Variant) -> Values:
    """Attention times grade, the query's top grade being 1."""
    top = np.zeros(len(table), dtype=np.int64)
    filled = table.pool.size > 0
    # A pool is sorted by grade: its first document has the best one.
    top[filled] = table.pool.grade[table.pool.start[:-1][filled]]
    gain = gain_of(table.grade, "linear") / np.maximum(top, 1)[table.query]
    return table.sum(gain * weight(table.rank, variant["p"]) * table.within(variant.k))


def residual(table: JudgedTable, variant: Variant) -> Values:
    """1 minus the attention given to judged documents; 0 where there is no other."""
    judged = table.judged & table.within(variant.k)
    retrieved = table.retrieved if variant.k is None else np.minimum(table.retrieved, variant.k)
    left = 1.0 - table.sum(judged * weight(table.rank, variant["p"]))
    return np.where(table.count(judged) < retrieved, left, 0.0)


RBP = Measure(name="RBP", page=__doc__, compute=rbp, params=(PATIENCE,), undefined=never)
RESIDUAL = Measure(
    name="RBPres",
    page=__doc__,
    compute=residual,
    params=(PATIENCE,),
    undefined=never,
    better="lower",
    prefers="nothing known",
)
