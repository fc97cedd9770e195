"""Recall capped: queries have more relevant documents than the ranking has places.

Seen when the best mean R@k that rankings of this depth could reach is below 0.95, with k 100 or the depth of the run
where that is less.

why: Part of the missing recall is no fault of the search: no ranking of this depth could have it.
try: Retrieve deeper, read recall at a greater cutoff, or ask for R(denominator=min_k), which can reach 1.

Three documents for four relevant ones: at most 3/4.

>>> from rankproof.testing import diagnosed
>>> diagnosed("recall_capped", {"q": [1, 0, 1]}, relevant=4)
'R@3 cannot exceed 0.750: 1 of 1 query has more relevant documents than the 3 that were retrieved (q).'
"""

from __future__ import annotations

from rankproof.proving.diagnoses._usual import DEEP, recall
from rankproof.proving.diagnoses.contract import Chart, Symptom

# More than a twentieth of recall is out of reach: as much as many improvements are worth.
REACHABLE = 0.95


def looks(chart: Chart) -> str | None:
    """The best recall at 100, or at the depth of the run."""
    deepest = int(chart.table.retrieved.max(initial=0))
    if deepest == 0:
        return None
    k = min(DEEP, deepest)
    found = recall(chart, k)
    if found.best >= REACHABLE:
        return None
    capped = chart.relevant > k
    many, whole = int(capped.sum()), len(capped)
    have = f"{many} of {whole} {'query has' if whole == 1 else 'queries have'}"
    than = f"the {k} that were retrieved" if deepest < DEEP else f"{k}"
    return f"R@{k} cannot exceed {found.best:.3f}: {have} more relevant documents than {than} ({chart.names(capped)})."


OFFERS = (
    Symptom(
        name="recall_capped",
        page=__doc__,
        looks=looks,
        reason="Part of the missing recall is no fault of the search: no ranking of this depth could have it.",
        remedy="Retrieve deeper, read recall at a greater cutoff, or ask for R(denominator=min_k), which can reach 1.",
    ),
)
