"""Low precision with high recall: nearly everything relevant is found, among much that is not.

Seen when R@100 reaches 80% or more of the best possible and P@10 less than 30%.

why: The candidates hold the answers; what is in the way is what stands before them.
try: Rerank the first 100 with a stronger model, or tighten the match: more weight on titles and phrases, filters,
a minimum of matching terms.

Of 4 relevant documents all are in the first 100, one in the first 10, where 4 could be:

>>> from rankproof.testing import diagnosed
>>> diagnosed("low_precision_high_recall", {"q": [1] + [0] * 20 + [1, 1, 1]})
'R@100 is 1.000, but P@10 only 0.100 of at most 0.400.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses._usual import HIGH_RECALL, LOW_PRECISION, precision, recall
from rankproof.proving.diagnoses.contract import Chart, Symptom


def looks(chart: Chart) -> str | None:
    """Precision and recall against the best possible."""
    p, r = precision(chart), recall(chart)
    if r.share < HIGH_RECALL or p.share >= LOW_PRECISION:
        return None
    return f"{r}, but {str(p).replace(' is ', ' only ')}."


OFFERS = (
    Symptom(
        name="low_precision_high_recall",
        page=__doc__,
        looks=looks,
        reason="The candidates hold the answers; what is in the way is what stands before them.",
        remedy="Rerank the first 100 with a stronger model, or tighten the match: more weight on titles and phrases, "
        "filters, a minimum of matching terms.",
    ),
)
