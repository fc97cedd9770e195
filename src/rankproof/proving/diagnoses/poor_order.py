"""Low nDCG with high recall: the relevant documents are there, in a poor order.

Seen when R@100 reaches 80% or more of the best possible and the mean nDCG@10 is below 0.5.

why: Order is all that is missing: the best order of the same 100 documents would have a far greater nDCG@10.
try: A reranker over the first 100, or a better blend of the scores that are there. More candidates will not help.

The one relevant document at rank 11 or below: nDCG@10 is 0, and in the best order of the same documents 1:

>>> from rankproof.testing import diagnosed
>>> diagnosed("poor_order", {"q": [0] * 10 + [1]})
'nDCG@10 is 0.000 while R@100 is 1.000; the best order of the same 100 documents has nDCG@10 1.000.'
"""

from __future__ import annotations

from rankproof.measuring.gain import ideal_of_retrieved
from rankproof.measuring.measures.ndcg import over_ideal
from rankproof.measuring.names import parse
from rankproof.measuring.views import cut
from rankproof.proving.diagnoses._usual import DEEP, HIGH_RECALL, recall
from rankproof.proving.diagnoses.contract import Chart, Symptom

# Half of the gain of the best order is lost.
LOW = 0.5


def looks(chart: Chart) -> str | None:
    """nDCG@10 against recall, and what the same documents could have."""
    value, found = chart.value("nDCG@10"), recall(chart)
    if value >= LOW or found.share < HIGH_RECALL:
        return None
    return (
        f"nDCG@10 is {value:.3f} while {found}; the best order of the same {DEEP} documents has nDCG@10 "
        f"{_best(chart):.3f}."
    )


def _best(chart: Chart) -> float:
    """The mean nDCG@10 of the first 100 documents in their best order."""
    (variant,) = parse("nDCG@10")
    retrieved = cut(chart.table, DEEP)
    reach = ideal_of_retrieved(retrieved, variant.k, variant["gain"], variant["rel"], variant["discount"])
    return float(over_ideal(reach, chart.table, variant).mean())


OFFERS = (
    Symptom(
        name="poor_order",
        page=__doc__,
        looks=looks,
        reason="Order is all that is missing: the relevant documents are among the candidates.",
        remedy="Put a reranker over the first 100, or blend the scores that are there better. More candidates will "
        "not help.",
    ),
)
