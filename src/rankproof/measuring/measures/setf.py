"""Set F: one number for set precision and set recall, their weighted harmonic mean.

(w + 1) P R / (R + w P) with `weight` w; the usual F-beta has w = beta^2. See F for the first k documents.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: van Rijsbergen, Information retrieval, second edition, 1979, chapter 7; trec_eval's set_F

Two of four relevant documents in a set of three: P 0.6667, R 0.5:

>>> from rankproof.testing import value
>>> value("SetF", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.5714
"""

from __future__ import annotations

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered
from rankproof.measuring.measures.f import WEIGHT, harmonic
from rankproof.measuring.measures.setp import set_precision
from rankproof.measuring.measures.setr import set_recall


def set_f(table: JudgedTable, variant: Variant) -> Values:
    """F of the whole set."""
    return harmonic(set_precision(table, variant), set_recall(table, variant), variant["weight"])


OFFERS = (
    Measure(
        name="SetF",
        page=__doc__,
        formula=(
            r"\mathrm{SetF} = \frac{(w + 1) \cdot \mathrm{SetP} \cdot \mathrm{SetR}}{\mathrm{SetR} + w \cdot "
            r"\mathrm{SetP}}"
        ),
        compute=set_f,
        params=(REL, WEIGHT),
        cutoff="none",
        expected=set_f,  # no order changes a set
        depends=ordered,
        spellings=("setf",),
    ),
)
