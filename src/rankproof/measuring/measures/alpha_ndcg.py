"""alpha-nDCG: nDCG that pays for subtopics, and pays less for one that documents above already cover.

A document's gain is the sum, over the subtopics it covers, of (1 - alpha)^(documents above that cover it).
The sum over ranks i up to k of gain / log2(i + 1) is divided by the same sum for the ideal ranking of all
judged documents, which is built greedily: at each rank the document that adds most. Of equally good
documents the one with the greater id (bytewise) is taken, as in ndeval; another choice can give another
ideal.

range: 0 to 1.582; above 1 only where a ranking beats the greedy ideal
undefined: no judged document covers a subtopic; counts as 0
source: Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; ndeval of
    TREC's Web track

Two documents on subtopic a, then one on b; the ideal has b second: (1 + 0.5/log2(3) + 1/2) against
(1 + 1/log2(3) + 0.5/2):

>>> from rankproof.testing import covering
>>> covering("alpha_nDCG@3", ranking=["a", "a", "b"])
0.9652
"""

from __future__ import annotations

from rankproof.measuring.gain import discount
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _diversity as d
from rankproof.measuring.measures.contract import Measure, Values, Variant


def alpha_ndcg(table: JudgedTable, variant: Variant) -> Values:
    """Discounted novel gain over the ideal's."""
    weights = 1.0 / discount(d.ranks(table), "log2")
    return d.over_ideal(d.novel_gain(table, variant, weights), table, variant, weights)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The mean over all orders of tied documents, subtopic by subtopic."""
    weights = 1.0 / discount(d.ranks(table), "log2")
    return d.over_ideal(d.expected_novel_gain(table, variant, weights), table, variant, weights)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Alpha, and what the ideal is."""
    return f"alpha={variant['alpha']:g}, ideal built greedily from all judged documents"


OFFERS = (
    Measure(
        name="alpha_nDCG",
        page=__doc__,
        formula=(
            r"\alpha\text{-}\mathrm{nDCG@}k = "
            r"\frac{\alpha\text{-}\mathrm{DCG@}k(d)}{\alpha\text{-}\mathrm{DCG@}k(d^*)}, \qquad "
            r"\alpha\text{-}\mathrm{DCG@}k(d) = \sum_{i=1}^{k} \frac{\sum_{t \in T(d_i)} (1 - "
            r"\alpha)^{c_{t,i}}}{\log_2 (i + 1)}"
        ),
        compute=alpha_ndcg,
        params=(d.ALPHA, d.COVERS),
        undefined=d.uncovered,
        high=d.MOST_OVER_GREEDY,
        fine_print=fine_print,
        expected=expected,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("alpha_ndcg", "α_nDCG"),
    ),
)
