"""Few judged: much of what the run shows was never judged, and counts as not relevant.

Seen when less than 80% of the first 10 documents are judged, on average.

why: What was never judged may be relevant: the values are too low by an unknown amount, and a system that finds other
documents than those in the pool is punished for it.
try: Judge what is missing (`rankproof next` proposes what to judge first), or look at the bounds before the values.

>>> from rankproof.testing import diagnosed
>>> diagnosed("few_judged", {"q": [1, None, None, 0]})
'Judged@10 is 0.500.'
"""

from __future__ import annotations

from rankproof.proving.diagnoses.contract import Chart, Symptom

# With one document in five unjudged, what was never judged can decide a comparison.
LOW = 0.8


def looks(chart: Chart) -> str | None:
    """The mean share of judged documents on the first page."""
    share = chart.value("Judged@10")
    return None if share >= LOW else f"Judged@10 is {share:.3f}."


OFFERS = (
    Symptom(
        name="few_judged",
        page=__doc__,
        looks=looks,
        reason="What was never judged counts as not relevant: the values are too low by an unknown amount.",
        remedy="Judge what is missing (`rankproof next` proposes what to judge first), or look at the bounds before "
        "the values.",
        severity="warning",
    ),
)
