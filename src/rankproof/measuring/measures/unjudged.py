"""Unjudged: the share of the first k documents that nobody judged.

Documents without a judgment among the first k, over k; `denominator=returned` divides by the documents returned. High
values say that the judgments say little about this ranking: it may be better than it looks.

range: 0 to 1
undefined: never; an empty ranking has 0
source: trec_eval 10's unj

>>> from rankproof.testing import value
>>> value("Unjudged@10", ranking=[1, None, 0, 0])
0.1
>>> value("Unjudged(denominator=returned)@10", ranking=[1, None, 0, 0])
0.25
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import Measure, Values, Variant, never
from rankproof.measuring.measures.judged import bottom, expected_count, seen

DENOMINATOR = Param("denominator", Choice(("k", "returned")), "k", "divide by k, or by min(k, documents returned)")


def unjudged_share(table: JudgedTable, variant: Variant) -> Values:
    """Those of the first k that are not judged, divided."""
    judged = table.count(table.judged & table.within(variant.k))
    return share(seen(table, variant) - judged, bottom(table, variant))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """What is expected to be left when the judged ones are taken away, divided."""
    return share(seen(table, variant) - expected_count(table, variant), bottom(table, variant))


def worth(table: JudgedTable, variant: Variant) -> Values:
    """A judged document moved up leaves less unjudged above it."""
    return -table.judged.astype(np.float64)


OFFERS = (
    Measure(
        name="Unjudged",
        page=__doc__,
        formula=r"\mathrm{Unjudged@}k = \frac{1}{k} \sum_{i=1}^{\min(k, n)} [d_i \text{ is not judged}]",
        compute=unjudged_share,
        params=(DENOMINATOR,),
        undefined=never,
        better="neither",
        worth=worth,
        expected=expected,
        depends=fixed("says what is judged now"),
        spellings=("unjudged",),
    ),
)
