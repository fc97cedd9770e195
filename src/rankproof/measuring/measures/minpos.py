"""Best position: the rank of the first relevant document. Lower is better.

Queries where no relevant document was found are left out of the mean, because a 0 would beat rank 1. RR
looks at the same rank and can count them.

range: 1 to infinity
undefined: no relevant document was found; left out of the mean
source: rankproof

>>> from rankproof.testing import value
>>> value("MinPos", ranking=[0, 1, 0, 1])
2.0
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.measuring.dependence import Ordered
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.avgpos import none_retrieved, worth
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def best_position(table: JudgedTable, variant: Variant) -> Values:
    """The rank of each query's first relevant row; NaN where there is none."""
    rows = np.flatnonzero(table.relevant(variant["rel"]))[::-1]
    values = np.full(len(table), math.nan)
    # Written from the last row to the first, so that the best rank of each query stays.
    values[table.query[rows]] = table.rank[rows]
    return values


def expected(table: JudgedTable, variant: Variant) -> Values:
    """With m relevant in a group of n from rank f on: f + (n - m) / (m + 1), the mean least of m places."""
    rows = np.flatnonzero(table.relevant(variant["rel"]))
    query, first = table.query[rows], table.tie_first[rows]
    begins = np.full(len(table), np.iinfo(np.int32).max)
    np.minimum.at(begins, query, first)
    leads = first == begins[query]
    marked = np.bincount(query[leads], minlength=len(table))
    values = np.full(len(table), math.nan)
    q, last = query[leads], table.tie_last[rows][leads]
    size = last - begins[q] + 1
    values[q] = begins[q] + (size - marked[q]) / (marked[q] + 1.0)
    return values


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Which way is better, and what is left out."""
    return "lower is better; queries where no relevant document was found are left out"


def depends(variant: Variant) -> Ordered:
    """Relevant or not; documents elsewhere play no part."""
    return Ordered(variant["rel"], "retrieved", falls=True)


OFFERS = (
    Measure(
        name="MinPos",
        page=__doc__,
        formula=r"\mathrm{MinPos} = \min \{ i : r_i = 1 \}",
        compute=best_position,
        params=(REL,),
        cutoff="none",
        undefined=none_retrieved,
        skips_undefined=True,
        better="lower",
        low=1.0,
        high=math.inf,
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("minpos", "best_position"),
    ),
)
