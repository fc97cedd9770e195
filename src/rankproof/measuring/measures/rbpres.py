"""The residual of RBP: how much its value could still rise if everything unknown were relevant.

The attention, in the sense of RBP, that goes to unjudged documents of the ranking and to the ranks after
the last retrieved one: 1 minus the attention given to judged documents. RBP lies between its value and
value + residual. With a cutoff, all ranks below it are unknown.

range: 0 to 1
undefined: never; an empty ranking has 1
source: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008

Judged at ranks 1 and 3, unjudged at rank 2, nothing after: 0.25 for rank 2 and 0.125 for the tail:

>>> from rankproof.testing import value
>>> value("RBPres(p=0.5)", ranking=[1, None, 0])
0.375
"""

from __future__ import annotations

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import average_weight, by_rank
from rankproof.measuring.measures.contract import Measure, Values, Variant, never
from rankproof.measuring.measures.rbp import PATIENCE, weight


def residual(table: JudgedTable, variant: Variant) -> Values:
    """1 minus the attention given to judged documents."""
    known = table.judged & table.within(variant.k)
    return 1.0 - table.sum(known * weight(table.rank, variant["p"]))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Linear in the rows: each takes away the mean weight of its tie group."""
    shared = average_weight(table, weight(by_rank(table), variant["p"]), variant.k)
    return 1.0 - table.sum(table.judged * shared)


def worth(table: JudgedTable, variant: Variant) -> Values:
    """A judged document moved up leaves less unknown."""
    return -table.judged.astype(float)


OFFERS = (
    Measure(
        name="RBPres",
        page=__doc__,
        formula=r"\mathrm{RBPres@}k = 1 - (1 - p) \sum_{i=1}^{k} [d_i \text{ is judged}] \, p^{i-1}",
        compute=residual,
        params=(PATIENCE,),
        undefined=never,
        better="lower",
        expected=expected,
        worth=worth,
        depends=fixed("says what is judged now"),
        spellings=("rbp_residual",),
    ),
)
