"""Normalized intent-aware ERR: ERR_IA over that of the ideal ranking, both cut at k.

The ideal ranking is the greedy one of alpha_nDCG, with the same alpha.

range: 0 to 1.582; above 1 only where a ranking beats the greedy ideal
undefined: no judged document covers a subtopic; counts as 0
source: Chapelle et al., Intent-based diversification of web search results, Information Retrieval 14, 2011;
    ndeval of TREC's Web track

Documents on a, a, b: 1 + 0.5/2 + 1/3 against 1 + 1/2 + 0.5/3 for a, b, a:

>>> from rankproof.testing import covering
>>> covering("nERR_IA@3", ranking=["a", "a", "b"])
0.95
"""

from __future__ import annotations

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _diversity as d
from rankproof.measuring.measures.alpha_ndcg import fine_print
from rankproof.measuring.measures.contract import Measure, Values, Variant


def normalized_err_ia(table: JudgedTable, variant: Variant) -> Values:
    """Novel gain over rank, over the ideal's."""
    weights = 1.0 / d.ranks(table)
    return d.over_ideal(d.novel_gain(table, variant, weights), table, variant, weights)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The mean over all orders of tied documents, subtopic by subtopic."""
    weights = 1.0 / d.ranks(table)
    return d.over_ideal(d.expected_novel_gain(table, variant, weights), table, variant, weights)


OFFERS = (
    Measure(
        name="nERR_IA",
        page=__doc__,
        formula=r"\mathrm{nERR\_IA@}k = \frac{\mathrm{ERR\_IA@}k(d)}{\mathrm{ERR\_IA@}k(d^*)}",
        compute=normalized_err_ia,
        params=(d.ALPHA, d.COVERS),
        undefined=d.uncovered,
        high=d.MOST_OVER_GREEDY,
        fine_print=fine_print,
        expected=expected,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("nerr_ia",),
    ),
)
