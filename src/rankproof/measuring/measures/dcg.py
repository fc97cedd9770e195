"""Discounted cumulative gain: what the first k documents are worth, the lower the rank the less.

The sum over ranks i up to k of gain(grade) / log2(i + 1): the numerator of nDCG. Its size depends on how much there
was to find, so compare it only between rankings of the same queries.

range: 0 upward
undefined: no judged document of the query has a gain above 0; counts as 0
source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002

Grades 3, 2, 1: 3/1 + 2/1.585 + 1/2, and 7/1 + 3/1.585 + 1/2:

>>> from rankproof.testing import value
>>> value("DCG@3", ranking=[3, 2, 1])
4.7619
>>> value("DCG(gain=exp2)@3", ranking=[3, 2, 1])
9.3928
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from rankproof.measuring import gain as d
from rankproof.measuring.dependence import Linear, first
from rankproof.measuring.gain import describe_gain, gain_of
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant
from rankproof.measuring.measures.ndcg import DISCOUNT, FLOOR, GAIN, worth


def discounted_gain(table: JudgedTable, variant: Variant) -> Values:
    """Gains over discounts, added."""
    return d.dcg(table, variant.k, variant["gain"], variant["rel"], variant["discount"])


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each row's gain over the mean discount of its tie group."""
    return d.expected_dcg(table, variant.k, variant["gain"], variant["rel"], variant["discount"])


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """Nothing in the pool is worth anything."""
    best = d.ideal_dcg(table.pool, None, variant["gain"], variant["rel"], variant["discount"])
    return best <= 0


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Gain and discount in words."""
    over = "log2(rank+1)" if variant["discount"] == "log2" else "max(1, log2(rank))"
    return f"{describe_gain(variant['gain'])}, discount {over}"


def depends(variant: Variant) -> Linear:
    """A sum of gains over discounts."""
    k, discount = variant.k, variant["discount"]

    def weight(rank: NDArray[Any], retrieved: NDArray[Any]) -> Values:
        return first(k)(rank, retrieved) / d.discount(rank, discount)

    return Linear(weight, lambda grade: gain_of(grade, variant["gain"], variant["rel"]))


OFFERS = (
    Measure(
        name="DCG",
        page=__doc__,
        formula=r"\mathrm{DCG@}k = \sum_{i=1}^{k} \frac{\mathrm{gain}(g_i)}{\log_2 (i + 1)}",
        compute=discounted_gain,
        params=(GAIN, DISCOUNT, FLOOR),
        undefined=undefined,
        high=math.inf,
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("dcg",),
    ),
)
