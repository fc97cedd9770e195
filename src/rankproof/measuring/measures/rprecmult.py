"""R-precision at a multiple of R: precision after a share, or several times, of the number of relevant documents.

With R relevant documents, those among the first c = floor(mult R + 0.9), over c. A ranking that is better at small
multiples and worse at large ones is oriented to precision. `mult=1` is Rprec. 0 where c is 0.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: trec_eval's Rprec_mult; the added 0.9 is its rounding in all versions

Four relevant documents; with mult 0.5 the first 2 count, with mult 2 the first 8:

>>> from rankproof.testing import value
>>> value("RprecMult(mult=0.5)", ranking=[1, 0, 1, 1], pool=[1, 1, 1, 1, 0])
0.5
>>> value("RprecMult(mult=2)", ranking=[1, 0, 1, 1], pool=[1, 1, 1, 1, 0])
0.375
"""

from __future__ import annotations

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.dependence import Cut
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._recall import documents
from rankproof.measuring.measures._running import Counts
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant
from rankproof.measuring.measures.rprec import expected_at, precision_at

MULT = Param("mult", Number(low=0, open_low=True), 1.0, "how many times R documents are looked at")


def multiple_precision(table: JudgedTable, variant: Variant) -> Values:
    """Relevant in the first mult R, over as many."""
    return precision_at(table, variant["rel"], looked_at(table, variant))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each relevant row counts with its probability of being among those looked at."""
    return expected_at(table, variant["rel"], looked_at(table, variant))


def looked_at(table: JudgedTable, variant: Variant) -> Counts:
    """How many documents are looked at, by query."""
    return documents(variant["mult"], table.pool.relevant(variant["rel"]), "plus_0.9")


def depends(variant: Variant) -> Cut:
    """Hits in the first mult R, over as many."""
    return Cut(variant["rel"], lambda relevant: documents(variant["mult"], relevant, "plus_0.9"))


OFFERS = (
    Measure(
        name="RprecMult",
        page=__doc__,
        formula=(
            r"\mathrm{RprecMult} = \frac{1}{c} \sum_{i=1}^{c} r_i, \qquad c = \lfloor \mathrm{mult} \cdot R "
            r"+ 0.9 \rfloor"
        ),
        compute=multiple_precision,
        params=(MULT, REL),
        cutoff="none",
        expected=expected,
        depends=depends,
        spellings=("rprec_mult",),
    ),
)
