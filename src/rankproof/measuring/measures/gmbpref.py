"""Geometric mean of binary preference: Bpref, where one query that fails counts for more than one that shines.

Each query's value is its Bpref; all queries together are their geometric mean, with values below 0.00001 raised to
it.

range: 0 to 1
undefined: the query has no relevant document; counts as 0, so as 0.00001 in the geometric mean
source: trec_eval's gm_bpref

>>> from rankproof.testing import value
>>> value("GMBpref", ranking=[1, None, 0, 1, 0])
0.75
"""

from __future__ import annotations

from rankproof.measuring.measures.bpref import binary_preference, depends
from rankproof.measuring.measures.contract import REL, Measure
from rankproof.measuring.measures.gmap import fine_print

OFFERS = (
    Measure(
        name="GMBpref",
        page=__doc__,
        formula=(
            r"\mathrm{GMBpref} = \exp \left( \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{Bpref}_q, "
            r"10^{-5}) \right)"
        ),
        compute=binary_preference,
        params=(REL,),
        cutoff="none",
        aggregate="geometric",
        fine_print=fine_print,
        depends=depends,
        spellings=("gmbpref",),
    ),
)
