"""Nothing found: for a part of the queries not one relevant document is in the first 100.

Seen when that holds for a tenth of the queries or more. The mean hides it: the other queries may be perfect.

why: A failure on a part of the queries usually has one cause, and no reranker can mend it.
try: Read these queries side by side: another language, rare words, numbers, misspellings, a filter, documents that
are not in the index.

>>> from rankproof.testing import diagnosed
>>> diagnosed("nothing_found", {"q": [1], "r": [0, 0]}, relevant=1)
'1 of 2 queries have no relevant document in the first 100 (r); the others have nDCG@10 1.000.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses.contract import Chart, Symptom

# One query in ten: enough that mending them moves the mean more than most changes of a ranking formula.
MANY = 0.1


def looks(chart: Chart) -> str | None:
    """The queries without any success, and how the others do."""
    none = chart.by_query(f"Success(rel={chart.level})@100") == 0
    if none.mean() < MANY:
        return None
    others = chart.by_query("nDCG@10")[~none]
    rest = f"; the others have nDCG@10 {others.mean():.3f}" if len(others) else ""
    return (
        f"{int(none.sum())} of {len(none)} queries have no relevant document in the first 100 "
        f"({chart.names(none)}){rest}."
    )


OFFERS = (
    Symptom(
        name="nothing_found",
        page=__doc__,
        looks=looks,
        reason="A failure on a part of the queries usually has one cause, and no reranker can mend it.",
        remedy="Read these queries side by side: another language, rare words, numbers, misspellings, a filter, "
        "documents that are not in the index.",
        severity="warning",
    ),
)
