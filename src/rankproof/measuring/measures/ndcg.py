"""Normalized discounted cumulative gain: how close the ranking comes to the best possible order.

The sum over ranks i up to k of gain(grade) / log2(i + 1), over the same sum for the ideal order of all
judged documents of the query, cut at k.

range: 0 to 1
undefined: no judged document of the query has a gain above 0; counts as 0
source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002;
    gain exp2 from Burges et al., Learning to rank using gradient descent, ICML 2005

The ranking's grades are 3, 2, 1; the pool holds 3, 3, 2, 1:

>>> from rankproof.testing import value
>>> value("nDCG@3", ranking=[3, 2, 1], pool=[3, 3, 2, 1])
0.8081
>>> value("nDCG(gain=exp2)@3", ranking=[3, 2, 1], pool=[3, 3, 2, 1])
0.7272
"""

from __future__ import annotations

from rankproof.kernel.specs.kinds import Choice, Param, Whole
from rankproof.measuring import gain as d
from rankproof.measuring.dependence import OverIdeal
from rankproof.measuring.gain import GainKind, describe_gain, gain_of
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant

GAIN = Param("gain", GainKind(), "linear", "what a grade is worth: linear, exp2 or a mapping")
DISCOUNT = Param("discount", Choice(("log2", "jk2002")), "log2", "log2(rank+1), or none before rank 2")
FLOOR = Param("rel", Whole(0), 0, "grades below this have gain 0")
IDEAL = Param(
    "ideal",
    Choice(("judged", "judged_uncut", "retrieved")),
    "judged",
    "best order of all judged documents cut at k, of all of them, or of the retrieved ones cut at k",
)


def ideal(table: JudgedTable, variant: Variant) -> Values:
    """The denominator."""
    choices = variant["gain"], variant["rel"], variant["discount"]
    if variant["ideal"] == "retrieved":
        return d.ideal_of_retrieved(table, variant.k, *choices)
    return d.ideal_dcg(table.pool, variant.k if variant["ideal"] == "judged" else None, *choices)


def ndcg(table: JudgedTable, variant: Variant) -> Values:
    """DCG over ideal DCG."""
    top = d.dcg(table, variant.k, variant["gain"], variant["rel"], variant["discount"])
    return share(top, ideal(table, variant))


def over_ideal(top: Values, table: JudgedTable, variant: Variant) -> Values:
    """A DCG divided by the ideal one; 0 where the ideal is 0."""
    return share(top, ideal(table, variant))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Expected DCG over ideal DCG, which no order of the run changes."""
    top = d.expected_dcg(table, variant.k, variant["gain"], variant["rel"], variant["discount"])
    return over_ideal(top, table, variant)


def worth(table: JudgedTable, variant: Variant) -> Values:
    """What moves the value up is gain, which a mapping may give to any grade."""
    return gain_of(table.grade, variant["gain"], variant["rel"])


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """No document has a gain: there is no ideal to compare with."""
    return ideal(table, variant) <= 0


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Gain, discount and ideal in words."""
    against = {
        "judged": "all judged documents, cut at k" if variant.k else "all judged documents",
        "judged_uncut": "all judged documents, not cut",
        "retrieved": "the retrieved documents",
    }[variant["ideal"]]
    over = "log2(rank+1)" if variant["discount"] == "log2" else "max(1, log2(rank))"
    return f"{describe_gain(variant['gain'])}, discount {over}, ideal from {against}"


def depends(variant: Variant) -> OverIdeal:
    """Discounted gain over the ideal's."""
    return OverIdeal(
        variant.k,
        None if variant["ideal"] == "judged_uncut" else variant.k,
        lambda grade: gain_of(grade, variant["gain"], variant["rel"]),
        lambda rank: d.discount(rank, variant["discount"]),
        variant["ideal"] == "retrieved",
    )


OFFERS = (
    Measure(
        name="nDCG",
        page=__doc__,
        formula=(
            r"\mathrm{nDCG@}k = \frac{\sum_{i=1}^{k} \mathrm{gain}(g_i) / \log_2 (i + 1)}{\sum_{i=1}^{k} "
            r"\mathrm{gain}(g^*_i) / \log_2 (i + 1)}"
        ),
        compute=ndcg,
        params=(GAIN, IDEAL, DISCOUNT, FLOOR),
        undefined=undefined,
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("ndcg", "DocumentNDCGEvaluator"),
    ),
)
