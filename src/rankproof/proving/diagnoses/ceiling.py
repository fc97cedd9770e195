"""Ceiling reached: most queries already have the greatest value, so these queries cannot show an improvement.

Seen when nDCG@10 is 1 for more than half of the queries.

why: A query at its maximum can only lose. A better system looks no better here, and a comparison finds nothing.
try: Add harder queries, judge deeper, or tell grades apart that are now one.

>>> from rankproof.testing import diagnosed
>>> diagnosed("ceiling", {"q": [1, 0], "r": [1], "s": [0, 1]})
'nDCG@10 is 1 for 2 of 3 queries.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses.contract import Chart, Symptom

# More than half: what is left to win lies in the minority of the queries.
MOST = 0.5
# A perfect ranking may miss 1 by the rounding of two sums.
FULL = 1 - 1e-9


def looks(chart: Chart) -> str | None:
    """The share of queries at the maximum."""
    full = chart.by_query("nDCG@10") >= FULL
    if full.mean() <= MOST:
        return None
    return f"nDCG@10 is 1 for {int(full.sum())} of {len(full)} queries."


OFFERS = (
    Symptom(
        name="ceiling",
        page=__doc__,
        looks=looks,
        reason="A query at its maximum can only lose: a better system looks no better on these queries.",
        remedy="Add harder queries, judge deeper, or tell grades apart that are now one.",
    ),
)
