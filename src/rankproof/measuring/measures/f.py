"""F: one number for precision and recall of the first k documents, their weighted harmonic mean.

(w + 1) P R / (R + w P), with P@k over k and R@k over all relevant documents. `weight` w says how many times as
important recall is as precision. The usual F-beta has w = beta^2: F2 is `F(weight=4)`.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: van Rijsbergen, Information retrieval, second edition, 1979, chapter 7; weighted as trec_eval's set_F

Two of four relevant documents in the first 5: P 0.4, R 0.5:

>>> from rankproof.testing import value
>>> value("F@5", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.4444
>>> value("F(weight=4)@5", ranking=[1, 0, 1], pool=[1, 1, 1, 1, 0])
0.4762
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.dependence import Share
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import Counts, over_hits
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant

WEIGHT = Param("weight", Number(low=0), 1.0, "how many times as important recall is as precision")


def harmonic(precision: Values, recall: Values, weight: float) -> Values:
    """The weighted harmonic mean; 0 where both are."""
    bottom = recall + weight * precision
    return np.divide((weight + 1.0) * precision * recall, bottom, out=np.zeros(len(bottom)), where=bottom > 0)


def f_measure(table: JudgedTable, variant: Variant) -> Values:
    """F of P@k and R@k."""
    return of_hits(table.relevant_retrieved(variant["rel"], variant.k), table, variant)


def of_hits(hits: Counts, table: JudgedTable, variant: Variant) -> Values:
    """F when so many relevant documents are in the first k."""
    assert variant.k is not None
    recall = hits / np.maximum(table.pool.relevant(variant["rel"]), 1)
    return harmonic(hits / variant.k, recall, variant["weight"])


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The mean over how many relevant documents the first k can hold."""
    assert variant.k is not None
    hit = table.relevant(variant["rel"])
    return over_hits(table, hit, variant.k, lambda hits: of_hits(hits, table, variant))


def depends(variant: Variant) -> Share:
    """With f hits, P = f/k and R = f/relevant: F is (w + 1) f / (k + w relevant)."""
    k, weight = variant.k, variant["weight"]
    assert k is not None
    return Share(k, variant["rel"], lambda relevant: (k + weight * relevant) / (weight + 1.0))


OFFERS = (
    Measure(
        name="F",
        page=__doc__,
        formula=(
            r"\mathrm{F@}k = \frac{(w + 1) \cdot \mathrm{P@}k \cdot \mathrm{R@}k}{\mathrm{R@}k + w \cdot "
            r"\mathrm{P@}k}"
        ),
        compute=f_measure,
        params=(REL, WEIGHT),
        cutoff="required",
        expected=expected,
        depends=depends,
        spellings=("f", "f1", "f_measure"),
    ),
)
