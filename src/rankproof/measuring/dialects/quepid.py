"""Quepid's scorers: nDCG@10, DCG@10, P@10, AP@10, RR@10 and ERR@10, at any rank.

checked: the source of its scorers since February 2025 (pull request 1242 of o19s/quepid), read and not run
differs: the order is that of the results, scores are not looked at; the gain is 2^grade - 1; the ideal of nDCG takes
    all rated documents and is not cut at k, so nDCG@k cannot reach 1 with more than k relevant documents; P is over
    the documents returned (at most k); ERR has top grade 3
same: AP is over all relevant rated documents, RR has the cutoff. Quepid's nDCG_CUT@10 is rankproof's
    `nDCG(gain=exp2)@10` in the order given
limits: no grade below 0 in nDCG, DCG and ERR (it would subtract), none above 3 in ERR; DCG has no unrated document
    among the results (the scorer takes 2 to the power of nothing); AP needs a relevant document in every query
    (Quepid divides 0 by 0)

Twelve documents have grade 3; the first ten results are ten of them:

>>> from rankproof.testing import mean
>>> qrels = {"q": {f"d{i:02}": 3 for i in range(12)}}
>>> run = {"q": {f"d{i:02}": 10 - i for i in range(10)}}
>>> mean("nDCG@10", qrels, run)
1.0
>>> mean("nDCG@10", qrels, run, dialect="quepid")
0.89216
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dialects._limits import refuse, refuse_grades_above, refuse_negative_grades
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.reading.records import Order

# The scorer's own top of the scale.
TOP_GRADE = 3


def limit(table: JudgedTable, variant: Variant) -> None:
    """Grades on the scorers' scale; something to divide by."""
    if variant.measure.name in ("nDCG", "DCG", "ERR"):
        refuse_negative_grades(table, variant, "Quepid")
    if variant.measure.name == "DCG":
        seen = table.retrieved if variant.k is None else np.minimum(table.retrieved, variant.k)
        refuse(
            table.count(table.within(variant.k)) < seen, table, variant,
            "there are unrated documents among the results, and Quepid's DCG scorer does not ask for that.",
            "Rate them, or leave the dialect out.",
        )  # fmt: skip
    if variant.measure.name == "ERR":
        refuse_grades_above(table, variant, TOP_GRADE, "Quepid's ERR knows grades up to 3.")
    if variant.measure.name == "AP":
        refuse(
            table.pool.relevant(variant["rel"]) == 0, table, variant,
            "no document is relevant, and Quepid divides 0 by 0.",
            "Leave undefined queries out (undefined=skip), or leave the dialect out.",
        )  # fmt: skip


OFFERS = (
    Dialect(
        name="quepid",
        page=__doc__,
        reading=Reading(Order(by="given")),
        speaks=("nDCG", "DCG", "P", "AP", "RR", "ERR"),
        defaults={
            "nDCG": {"gain": "exp2", "ideal": "judged_uncut"},
            "DCG": {"gain": "exp2"},
            "P": {"denominator": "returned"},
            "ERR": {"max_grade": TOP_GRADE},
        },
        limit=limit,
    ),
)
