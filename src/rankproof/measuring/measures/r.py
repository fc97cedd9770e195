"""Recall: the share of the relevant documents that is among the first k.

Also written recall@k: relevant documents in the first k, over all relevant documents. With more than k
relevant documents recall cannot reach 1: the fine print says for how many queries that cap binds.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Cleverdon, Mills and Keen, Factors determining the performance of indexing systems, 1966

>>> from rankproof.testing import value
>>> value("R@10", ranking=[1, 1, 1, 1, 1, 1], pool=[1] * 8)
0.75
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import Share
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

DENOMINATOR = Param(
    "denominator",
    Choice(("relevant", "min_k")),
    "relevant",
    "divide by all relevant documents, or at most k of them",
)


def recall(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first k, over relevant."""
    return divided(table.relevant_retrieved(variant["rel"], variant.k).astype(np.float64), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being in the first k."""
    assert variant.k is not None
    return divided(table.sum(table.relevant(variant["rel"]) * probability_within(table, variant.k)), table, variant)


def divided(hits: Values, table: JudgedTable, variant: Variant) -> Values:
    """A number of relevant documents over all of them, or over at most k."""
    assert variant.k is not None
    relevant = table.pool.relevant(variant["rel"])
    if variant["denominator"] == "min_k":
        relevant = np.minimum(relevant, variant.k)
    return np.divide(hits, relevant, out=np.zeros(len(hits)), where=relevant > 0)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Whether the cutoff keeps recall below 1 for some queries."""
    if variant["denominator"] == "min_k":
        return "over min(relevant documents, k)"
    capped = int((table.pool.relevant(variant["rel"]) > (variant.k or 0)).sum())
    cap = f"; {capped} queries have more than {variant.k} relevant documents and cannot reach 1" if capped else ""
    return f"over all relevant documents{cap}"


def depends(variant: Variant) -> Share:
    """Hits over relevant documents."""
    k = variant.k
    assert k is not None
    if variant["denominator"] == "min_k":
        return Share(k, variant["rel"], lambda relevant: np.minimum(relevant, k))
    return Share(k, variant["rel"], lambda relevant: relevant)


OFFERS = (
    Measure(
        name="R",
        page=__doc__,
        formula=r"\mathrm{R@}k = \frac{1}{R} \sum_{i=1}^{k} r_i",
        compute=recall,
        params=(REL, DENOMINATOR),
        cutoff="required",
        fine_print=fine_print,
        expected=expected,
        depends=depends,
        spellings=("r", "recall"),
    ),
)
