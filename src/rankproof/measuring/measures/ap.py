"""Average precision: the mean, over the relevant documents, of the precision at each one's rank.

The sum of the precision at each relevant rank up to k, over the number of relevant documents. Its mean is
known as MAP.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Harman, Overview of the first TREC conference, 1993; denominator=relevant is trec_eval's map and
    map_cut

Three relevant documents, at ranks 1, 2, 4 and at ranks 2, 5, 6:

>>> from rankproof.testing import value
>>> value("AP", ranking=[1, 1, 0, 1])
0.9167
>>> value("AP", ranking=[0, 1, 0, 0, 1, 1])
0.4667
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import PrecisionSum
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import by_rank, worth_by_grade
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

DENOMINATOR = Param(
    "denominator",
    Choice(("relevant", "min_k", "relevant_retrieved")),
    "relevant",
    "divide by all relevant documents, by at most k of them, or by those found",
)


def divisor(table: JudgedTable, variant: Variant) -> Values:
    """What the sum of precisions is divided by."""
    relevant = table.pool.relevant(variant["rel"]).astype(np.float64)
    if variant["denominator"] == "min_k" and variant.k is not None:
        return np.minimum(relevant, variant.k)
    if variant["denominator"] == "relevant_retrieved":
        return table.relevant_retrieved(variant["rel"], variant.k).astype(np.float64)
    return relevant


def average_precision(table: JudgedTable, variant: Variant) -> Values:
    """Sum of precisions at relevant ranks, divided."""
    hit = table.relevant(variant["rel"]) & table.within(variant.k)
    running_hits = table.remember(
        ("running relevant", variant["rel"]), lambda: table.running(table.relevant(variant["rel"]))
    )
    return divided(table.sum(hit * running_hits / table.rank), table, variant)


def divided(total: Values, table: JudgedTable, variant: Variant) -> Values:
    """A sum of precisions over the divisor; 0 where there is nothing to divide by."""
    bottom = divisor(table, variant)
    return np.divide(total, bottom, out=np.zeros(len(total)), where=bottom > 0)


def expected(table: JudgedTable, variant: Variant) -> Values | None:
    """Sum of expected precisions at relevant ranks, tie group by tie group (McSherry and Najork, section 2).

    A group of n from rank f on with m relevant, after r relevant ones: place i holds a relevant document with
    probability m/n, and then (i - f)(m - 1)/(n - 1) more are expected before it in the group.
    """
    if not steady(variant):
        return None
    rel = variant["rel"]
    rows = np.flatnonzero(table.relevant(rel))
    query, first = table.query[rows], table.tie_first[rows]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    heads = np.flatnonzero(new)
    m = np.diff(np.append(heads, len(rows)))
    q, f, last = query[heads], first[heads].astype(np.float64), table.tie_last[rows][heads]
    r = table.running(table.relevant(rel))[rows][heads] - 1
    n = last - f + 1
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / by_rank(table))))
    end = last if variant.k is None else np.clip(variant.k, first[heads] - 1, last)
    ranks = harmonic[end] - harmonic[first[heads] - 1]  # sum of 1/i
    within = (end - f + 1) - f * ranks  # sum of (i - f)/i
    share = np.divide(m - 1, n - 1, out=np.zeros(len(n)), where=n > 1)
    parts = m / n * ((r + 1) * ranks + share * within)
    return divided(np.bincount(q, weights=parts, minlength=len(table)).astype(np.float64), table, variant)


def steady(variant: Variant) -> bool:
    """Whether no order of tied documents changes the divisor."""
    return variant["denominator"] != "relevant_retrieved" or variant.k is None


def worth(table: JudgedTable, variant: Variant) -> Values | None:
    """As for most measures; but divided by the hits within k, one more relevant document there can lower the mean."""
    return worth_by_grade(table, variant) if steady(variant) else None


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The divisor in words."""
    return {
        "relevant": "over all relevant documents",
        "min_k": "over min(relevant documents, k)",
        "relevant_retrieved": "over the relevant documents found",
    }[str(variant["denominator"])]


def depends(variant: Variant) -> PrecisionSum:
    """The sum of precisions, divided."""
    k, how = variant.k, variant["denominator"]

    def value(total: Values, hits: Values, relevant: Values) -> Values:
        bottom = hits if how == "relevant_retrieved" else relevant
        if how == "min_k" and k is not None:
            bottom = np.minimum(relevant, k)
        return np.divide(total, bottom, out=np.zeros(len(total)), where=bottom > 0)

    over_retrieved = how == "relevant_retrieved"
    return PrecisionSum(k, variant["rel"], value, "within" if over_retrieved else "all", ratio=not over_retrieved)


OFFERS = (
    Measure(
        name="AP",
        page=__doc__,
        formula=r"\mathrm{AP@}k = \frac{1}{R} \sum_{i=1}^{k} r_i \cdot \mathrm{P@}i",
        compute=average_precision,
        params=(REL, DENOMINATOR),
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("ap", "map", "average_precision", "DocumentMAPEvaluator"),
    ),
)
