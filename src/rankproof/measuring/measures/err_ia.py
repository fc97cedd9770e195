"""Intent-aware ERR: expected reciprocal rank for each subtopic, summed, over the most that could be.

For each subtopic a reader stops at a document that covers it with chance alpha. Rank i adds, for each
subtopic its document covers, (1 - alpha)^(documents above that cover it) / i; the sum up to k is divided by
that of an imagined ranking in which every document covers every subtopic. Subtopics that no judged document
covers do not count. ndeval leaves out the division at k = 1; here it is done there too.

range: 0 to 1
undefined: no judged document covers a subtopic; counts as 0
source: Chapelle et al., Intent-based diversification of web search results, Information Retrieval 14, 2011;
    ndeval of TREC's Web track

Documents on a, a, b: 1 + 0.5/2 + 1/3 against 2 x (1 + 0.5/2 + 0.25/3):

>>> from rankproof.testing import covering
>>> covering("ERR_IA@3", ranking=["a", "a", "b"])
0.5938
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _diversity as d
from rankproof.measuring.measures.contract import Measure, Values, Variant


def most(k: int, alpha: float) -> float:
    """What one subtopic adds when all of the first k documents cover it."""
    total, block = 0.0, 100_000
    for start in range(0, k, block):
        i = np.arange(start, min(start + block, k))
        part = float((np.power(1.0 - alpha, i) / (i + 1.0)).sum())
        total += part
        if part < 1e-18:
            break
    return total


def divided(gained: Values, table: JudgedTable, variant: Variant) -> Values:
    """A gain over the most that k ranks and the known subtopics could give."""
    assert variant.k is not None
    bottom = d.known_subtopics(table, variant) * most(variant.k, variant["alpha"])
    value: Values = np.divide(gained, bottom, out=np.zeros(len(gained)), where=bottom > 0)
    return value


def err_ia(table: JudgedTable, variant: Variant) -> Values:
    """Novel gain over rank, divided."""
    return divided(d.novel_gain(table, variant, 1.0 / d.ranks(table)), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The mean over all orders of tied documents, subtopic by subtopic."""
    return divided(d.expected_novel_gain(table, variant, 1.0 / d.ranks(table)), table, variant)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Alpha, and what the sum is divided by."""
    return f"alpha={variant['alpha']:g}, over a ranking whose every document covers every subtopic"


OFFERS = (
    Measure(
        name="ERR_IA",
        page=__doc__,
        formula=(
            r"\mathrm{ERR\_IA@}k = \frac{\sum_{i=1}^{k} \frac{1}{i} \sum_{t \in T(d_i)} (1 - "
            r"\alpha)^{c_{t,i}}}{|T| \sum_{i=1}^{k} (1 - \alpha)^{i-1} / i}"
        ),
        compute=err_ia,
        params=(d.ALPHA, d.COVERS),
        cutoff="required",
        undefined=d.uncovered,
        fine_print=fine_print,
        expected=expected,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("err_ia",),
    ),
)
