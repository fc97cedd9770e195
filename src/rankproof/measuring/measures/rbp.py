"""Rank-biased precision: the rate at which a reader of a given patience meets relevant documents.

A reader looks at the first document and goes on to the next with chance p. The value is the sum, over the
relevant documents, of (1 - p) p^(rank - 1). Unjudged documents count as not relevant; `RBPres` says how
much they and the ranks after the last could add. This is not trec_eval 10's `rbp`, which scales by each
query's top grade: its dialect has that one.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008

Relevant documents at ranks 1 and 3, with p = 0.5 and with p = 0.9:

>>> from rankproof.testing import value
>>> value("RBP(p=0.5)", ranking=[1, 0, 1])
0.625
>>> value("RBP", ranking=[1, 0, 1])
0.181
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.dependence import Linear, first, is_relevant
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import average_weight, by_rank
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

PATIENCE = Param("p", Number(0, 1, open_low=True, open_high=True), 0.9, "the chance of going on to the next document")


def weight(rank: NDArray[Any], p: float) -> Values:
    """The share of a reader's attention that a rank gets."""
    share: Values = (1.0 - p) * np.power(p, rank - 1.0)
    return share


def rank_biased_precision(table: JudgedTable, variant: Variant) -> Values:
    """Attention given to relevant documents."""
    hit = table.relevant(variant["rel"]) & table.within(variant.k)
    return table.sum(hit * weight(table.rank, variant["p"]))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Linear in the rows: each adds the mean weight of its tie group."""
    shared = average_weight(table, weight(by_rank(table), variant["p"]), variant.k)
    return table.sum(table.relevant(variant["rel"]) * shared)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The patience, and what unjudged documents count as."""
    return f"patience p={variant['p']:g}, unjudged counts as not relevant"


def depends(variant: Variant) -> Linear:
    """Each relevant document adds the attention it gets."""

    def attention(rank: NDArray[Any], retrieved: NDArray[Any]) -> Values:
        return first(variant.k)(rank, retrieved) * weight(rank, variant["p"])

    return Linear(attention, is_relevant(variant["rel"]))


OFFERS = (
    Measure(
        name="RBP",
        page=__doc__,
        formula=r"\mathrm{RBP@}k = (1 - p) \sum_{i=1}^{k} r_i \, p^{i-1}",
        compute=rank_biased_precision,
        params=(PATIENCE, REL),
        fine_print=fine_print,
        expected=expected,
        depends=depends,
        spellings=("rbp",),
    ),
)
