"""High precision with low recall: what is shown is right, and most of what is relevant is never shown.

Seen when P@10 reaches 60% or more of the best possible and R@100 less than 50%. It cannot tell a search that is too
narrow from judgments that come from richer systems than this one.

why: The first page is good, so the scoring works; the documents it never gets to score are the loss.
try: Widen the candidates: synonyms and stemming, fewer required terms, a dense retriever beside the lexical one, a
greater depth.

>>> from rankproof.testing import diagnosed
>>> diagnosed("high_precision_low_recall", {"q": [1] * 8}, relevant=40)
'P@10 is 0.800, but R@100 only 0.200.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses._usual import HIGH_PRECISION, LOW_RECALL, precision, recall
from rankproof.proving.diagnoses.contract import Chart, Symptom


def looks(chart: Chart) -> str | None:
    """Precision and recall against the best possible."""
    p, r = precision(chart), recall(chart)
    if p.share < HIGH_PRECISION or r.share >= LOW_RECALL:
        return None
    return f"{p}, but {str(r).replace(' is ', ' only ')}."


OFFERS = (
    Symptom(
        name="high_precision_low_recall",
        page=__doc__,
        looks=looks,
        reason="The first page is good, so the scoring works; the loss is in documents that are never scored.",
        remedy="Widen the candidates: synonyms and stemming, fewer required terms, a dense retriever beside the "
        "lexical one, a greater depth.",
    ),
)
