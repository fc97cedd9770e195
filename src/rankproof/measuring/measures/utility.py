"""Utility: what a set of documents is worth, when each hit earns and each miss costs a fixed amount.

With a relevant and b other documents retrieved, and c relevant and d other documents not retrieved, the weights
w1;w2;w3;w4 give w1 a + w2 b + w3 c + w4 d. The number of other documents is only known when `collection` says how many
documents there are in all; it is 0 unless said, as in trec_eval, and matters only when w4 is not 0.

range: any number
undefined: never; an empty ranking has w3 times the relevant documents, so 0 with the usual weights
source: Lewis, The TREC-4 filtering track, 1995; trec_eval's utility

Two relevant documents and one other; then with relevant documents worth 2:

>>> from rankproof.testing import value
>>> value("Utility", ranking=[1, 0, 1])
1.0
>>> value("Utility(weights=2;-1;0;0)", ranking=[1, 0, 1])
3.0
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Numbers, Param, Whole
from rankproof.measuring.dependence import Linear, is_relevant
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, never

WEIGHTS = Param(
    "weights",
    Numbers(4),
    (1.0, -1.0, 0.0, 0.0),
    "worth of a hit, a false hit, a miss, a rightly left out document",
)
COLLECTION = Param("collection", Whole(0), 0, "documents in the collection")


def utility(table: JudgedTable, variant: Variant) -> Values:
    """The weighted sum of the four counts."""
    hits = table.relevant_retrieved(variant["rel"])
    false_hits = table.retrieved - hits
    misses = table.pool.relevant(variant["rel"]) - hits
    left_out = variant["collection"] - hits - false_hits - misses
    hit, false_hit, miss, left = variant["weights"]
    worth: Values = hit * hits + false_hit * false_hits + miss * misses + left * left_out
    return worth


def depends(variant: Variant) -> Linear:
    """A document that turns out relevant is a hit and no false hit, or a miss and not rightly left out."""
    hit, false_hit, miss, left = variant["weights"]

    def weight(rank: NDArray[Any], retrieved: NDArray[Any]) -> Values:
        return np.full(len(rank), hit - false_hit)

    return Linear(weight, is_relevant(variant["rel"]), elsewhere=miss - left)


OFFERS = (
    Measure(
        name="Utility",
        page=__doc__,
        formula=r"\mathrm{Utility} = w_1 a + w_2 b + w_3 c + w_4 d",
        compute=utility,
        params=(WEIGHTS, REL, COLLECTION),
        cutoff="none",
        undefined=never,
        low=-math.inf,
        high=math.inf,
        expected=utility,  # no order changes a set
        depends=depends,
        spellings=("utility",),
    ),
)
