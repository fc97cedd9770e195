"""Precision: the share of relevant documents among the first k.

Relevant documents in the first k, over k, even when fewer than k were returned (`denominator=returned`
divides by the number returned instead).

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Cleverdon, Mills and Keen, Factors determining the performance of indexing systems, 1966

>>> from rankproof.testing import value
>>> value("P@5", ranking=[1, 0, 1])
0.4
>>> value("P(denominator=returned)@5", ranking=[1, 0, 1])
0.6667
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import Linear, is_relevant
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

DENOMINATOR = Param("denominator", Choice(("k", "returned")), "k", "divide by k, or by min(k, documents returned)")


def precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first k, divided."""
    return divided(table.relevant_retrieved(variant["rel"], variant.k).astype(np.float64), table, variant)


def divided(hits: Values, table: JudgedTable, variant: Variant) -> Values:
    """A number of relevant documents over k, or over the documents returned."""
    k = variant.k
    assert k is not None
    if variant["denominator"] == "k":
        return hits / k
    returned = np.minimum(table.retrieved, k)
    return np.divide(hits, returned, out=np.zeros(len(hits)), where=returned > 0)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being in the first k."""
    assert variant.k is not None
    return divided(table.sum(table.relevant(variant["rel"]) * probability_within(table, variant.k)), table, variant)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The divisor in words."""
    return "over k" if variant["denominator"] == "k" else "over the documents returned, at most k"


def depends(variant: Variant) -> Linear:
    """Each relevant document in the first k adds the same."""
    k = variant.k
    assert k is not None

    def weight(rank: NDArray[Any], retrieved: NDArray[Any]) -> Values:
        bottom = k if variant["denominator"] == "k" else np.minimum(retrieved, k)
        share: Values = (rank <= k) / bottom
        return share

    return Linear(weight, is_relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="P",
        page=__doc__,
        formula=r"\mathrm{P@}k = \frac{1}{k} \sum_{i=1}^{k} r_i",
        compute=precision,
        params=(REL, DENOMINATOR),
        cutoff="required",
        fine_print=fine_print,
        expected=expected,
        depends=depends,
        spellings=("p", "precision"),
    ),
)
