"""The first grades of a ranking as a string: one character per document, to look at.

A grade from 0 to 9 is its digit, above that `>`. A document that is not in the qrels is `-`; one that is in the pool
without a judgment is `.`, and a grade below 0 that counts as judged is `<`. A text and not a measure of quality: the
value is the number of characters, and all queries together are the sum.

range: 0 upward
undefined: never; an empty ranking has an empty string and 0
source: trec_eval's relstring

>>> from rankproof.testing import value
>>> value("RelString@10", ranking=[1, None, 0])
3.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant, never


def length(table: JudgedTable, variant: Variant) -> Values:
    """Characters in the string."""
    return np.minimum(table.retrieved, variant.k or 0).astype(np.float64)


def strings(table: JudgedTable, variant: Variant) -> list[str]:
    """The string of each query."""
    most = int(length(table, variant).max(initial=0))
    marks = np.full((len(table), most), b"-")
    near = table.rank <= most
    grade = table.grade[near]
    mark = np.where(grade < 0, b"<", np.minimum(grade, 9).astype("S1"))
    mark[grade > 9] = b">"
    mark[~table.judged[near]] = b"."
    marks[table.query[near], table.rank[near] - 1] = mark
    ends = length(table, variant).astype(np.int64)
    return [row.tobytes()[:end].decode() for row, end in zip(marks, ends, strict=True)]


OFFERS = (
    Measure(
        name="RelString",
        page=__doc__,
        compute=length,
        cutoff="required",
        undefined=never,
        aggregate="sum",
        better="neither",
        high=math.inf,
        whole=True,
        labels=strings,
        expected=length,  # no order changes a set
        depends=fixed("counts characters"),
    ),
)
