"""Low RR: on average the first relevant document comes after the second rank.

Seen when the mean RR@10 is below 0.5. Where one good answer is enough, this is what people feel.

why: Readers look at the first result or two; with an RR below 0.5 these are usually not relevant.
try: Look at the first result of the worst queries: exact titles, names and fresh documents are often missed. Boost
exact matches, or rerank the first 10.

>>> from rankproof.testing import diagnosed
>>> diagnosed("low_rr", {"q": [0, 0, 1], "r": [0, 1]})
'RR@10 is 0.417: the first relevant document is at rank 1 in 0 of 2 queries.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses.contract import Chart, Symptom

# The RR of a relevant document at rank 2.
LOW = 0.5


def looks(chart: Chart) -> str | None:
    """The mean of RR@10, and how often it is 1."""
    values = chart.by_query(f"RR(rel={chart.level})@10")
    if values.mean() >= LOW:
        return None
    first = int((values == 1).sum())
    return (
        f"RR@10 is {values.mean():.3f}: the first relevant document is at rank 1 in {first} of {len(values)} queries."
    )


OFFERS = (
    Symptom(
        name="low_rr",
        page=__doc__,
        looks=looks,
        reason="Readers look at the first result or two; with an RR below 0.5 these are usually not relevant.",
        remedy="Look at the first result of the worst queries: exact titles, names and fresh documents are often "
        "missed. Boost exact matches, or rerank the first 10.",
    ),
)
