"""Best buried: something relevant comes first, and the best documents come after it.

Seen where grades differ: the mean RR@10 is 0.7 or more, and counting only the top grade of the collection, on the
queries that have such a document, it is below 0.5. RR and precision cannot see this.

why: The scoring tells relevant from not relevant, but not the best from the merely related.
try: Train or tune on the grades and not on relevant against not; boost what marks the best documents: title matches,
authority, completeness.

A fair document at rank 1 and the best one at rank 4:

>>> from rankproof.testing import diagnosed
>>> diagnosed("best_buried", {"q": [1, 1, 0, 3]})
'RR@10 is 1.000, but only 0.250 for documents of grade 3, on the 1 query that has one.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses.contract import Chart, Symptom

# A relevant document is nearly always first; and the best one is on average after the second rank.
HIGH, LOW = 0.7, 0.5


def looks(chart: Chart) -> str | None:
    """RR for any relevant document against RR for the best ones."""
    top = chart.table.pool.top_grade
    having = chart.table.pool.relevant(top) > 0
    if top <= chart.level or not having.any():
        return None
    first = chart.value(f"RR(rel={chart.level})@10")
    best = float(chart.by_query(f"RR(rel={top})@10")[having].mean())
    if first < HIGH or best >= LOW:
        return None
    many = int(having.sum())
    queries = "the 1 query that has one" if many == 1 else f"the {many} queries that have one"
    return f"RR@10 is {first:.3f}, but only {best:.3f} for documents of grade {top}, on {queries}."


OFFERS = (
    Symptom(
        name="best_buried",
        page=__doc__,
        looks=looks,
        reason="The scoring tells relevant from not relevant, but not the best from the merely related.",
        remedy="Train or tune on the grades and not on relevant against not; boost what marks the best documents: "
        "title matches, authority, completeness.",
    ),
)
