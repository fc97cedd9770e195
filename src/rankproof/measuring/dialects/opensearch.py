"""OpenSearch's Search Relevance Workbench of 2025: Precision@k, MAP@k and NDCG@k of pointwise experiments.

checked: the source of its search-relevance plugin, read and not run, and the numbers in its tests of 2025 (pull
    request 61, for version 3.1, until pull request 394 of February 2026)
differs: the order is that of the hits, scores are not looked at; the gain of nDCG is 2^grade - 1; P is over the hits
    returned (at most k); each query's value is rounded to 2 places, halves up, before the mean is taken
limits: no grade below 0 in nDCG (it would subtract); later versions count a document as relevant only from max(half
    the top grade, 90th percentile of the grades) on, by query: not reproduced

The relevant document is at rank 8. One eighth is 0.125, which rounds up:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"h": 1}}
>>> run = {"q": {d: -i for i, d in enumerate("abcdefgh")}}
>>> mean("AP@10", qrels, run)
0.125
>>> mean("AP@10", qrels, run, dialect="opensearch")
0.13
"""

from __future__ import annotations

from rankproof.measuring.dialects._limits import refuse_negative_grades
from rankproof.measuring.dialects.contract import Dialect, Reading, Rounding
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.reading.records import Order


def limit(table: JudgedTable, variant: Variant) -> None:
    """Grades of which 2^grade - 1 is a gain."""
    if variant.measure.name == "nDCG":
        refuse_negative_grades(table, variant, "OpenSearch")


OFFERS = (
    Dialect(
        name="opensearch",
        page=__doc__,
        # Java's Math.round(100 * value) / 100.
        reading=Reading(Order(by="given"), rounds=Rounding(2, half="up")),
        speaks=("nDCG", "P", "AP"),
        defaults={"nDCG": {"gain": "exp2"}, "P": {"denominator": "returned"}},
        limit=limit,
    ),
)
