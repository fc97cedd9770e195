"""Average precision: the mean, over the relevant documents, of the precision at each one's rank.

The sum of the precision at each relevant rank up to k, over the number of relevant documents. Its mean is
known as MAP.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Harman, Overview of the first TREC conference, 1993; denominator=relevant is trec_eval's map and map_cut

Three relevant documents, at ranks 1, 2, 4 and at ranks 2, 5, 6:

>>> from rankproof.testing import value
>>> value("AP", ranking=[1, 1, 0, 1])
0.9167
>>> value("AP", ranking=[0, 1, 0, 0, 1, 1])
0.4667
"""

from __future__ import annotations

import numpy as np

from rankproof.measures._contract import REL, Measure, Param, Values, Variant
from rankproof.measures._kinds import Choice
from rankproof.records.judged import JudgedTable

DENOMINATOR = Param(
    "denominator",
    Choice(("relevant", "min_k", "relevant_retrieved")),
    "relevant",
    "divide by all relevant documents, by at most k of them, or by those found",
)


def divisor(table: JudgedTable, variant: Variant) -> Values:
    """What the sum of precisions is divided by."""
    relevant = table.pool.relevant(variant["rel"]).astype(np.float64)
    if variant["denominator"] == "min_k" and variant.k is not None:
        return np.minimum(relevant, variant.k)
    if variant["denominator"] == "relevant_retrieved":
        return table.relevant_retrieved(variant["rel"], variant.k).astype(np.float64)
    return relevant


def average_precision(table: JudgedTable, variant: Variant) -> Values:
    """Sum of precisions at relevant ranks, divided."""
    hit = table.relevant(variant["rel"]) & table.within(variant.k)
    found = table.remember(
        ("running relevant", variant["rel"]), lambda: table.running(table.relevant(variant["rel"]))
    )
    total = table.sum(hit * found / table.rank)
    bottom = divisor(table, variant)
    return np.divide(total, bottom, out=np.zeros(len(total)), where=bottom > 0)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The divisor in words."""
    return {
        "relevant": "over all relevant documents",
        "min_k": "over min(relevant documents, k)",
        "relevant_retrieved": "over the relevant documents found",
    }[str(variant["denominator"])]


OFFERS = (
    Measure(
        name="AP",
        page=__doc__,
        compute=average_precision,
        params=(REL, DENOMINATOR),
        fine_print=fine_print,
        spellings=("ap", "map", "average_precision"),
    ),
)
