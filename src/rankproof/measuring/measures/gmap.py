"""Geometric mean of average precision: one query that fails counts for more than one that shines.

Each query's value is its AP; all queries together are their geometric mean, with values below 0.00001 raised to it,
so that one query at 0 does not wipe out the rest.

range: 0 to 1
undefined: the query has no relevant document; counts as 0, so as 0.00001 in the geometric mean
source: Robertson, On GMAP and other transformations, CIKM 2006; trec_eval's gm_map

>>> from rankproof.testing import value
>>> value("GMAP", ranking=[1, 1, 0, 1])
0.9167
"""

from __future__ import annotations

from rankproof.measuring.dependence import PrecisionSum
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.ap import OFFERS as AP_OFFERS
from rankproof.measuring.measures.ap import average_precision
from rankproof.measuring.measures.ap import depends as ap_depends
from rankproof.measuring.measures.ap import expected as expected_ap
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

(_AP,) = AP_OFFERS


def compute(table: JudgedTable, variant: Variant) -> Values:
    """AP."""
    return average_precision(table, _AP.variant(variant.at, rel=variant["rel"]))


def expected(table: JudgedTable, variant: Variant) -> Values | None:
    """That of AP, by query."""
    return expected_ap(table, _AP.variant(variant.at, rel=variant["rel"]))


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The aggregate and its floor."""
    return "geometric mean, queries below 0.00001 count as 0.00001"


def depends(variant: Variant) -> PrecisionSum:
    """That of AP, by query."""
    return ap_depends(_AP.variant(variant.at, rel=variant["rel"]))


OFFERS = (
    Measure(
        name="GMAP",
        page=__doc__,
        formula=r"\mathrm{GMAP} = \exp \left( \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{AP}_q, 10^{-5}) \right)",
        compute=compute,
        params=(REL,),
        aggregate="geometric",
        fine_print=fine_print,
        expected=expected,
        depends=depends,
        spellings=("gmap",),
    ),
)
