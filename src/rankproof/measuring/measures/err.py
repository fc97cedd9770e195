"""Expected reciprocal rank: 1 over the rank at which a reader who stops when satisfied is expected to stop.

A reader goes down the ranking and stops at a document with chance s = (2^grade - 1) / 2^top, where top is
the top grade of the scale. The value is the sum over ranks up to k of (1 / rank) x (chance to stop exactly
there).

range: 0 to 1
undefined: the query has no document with a grade above 0; counts as 0
source: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009

Grades 3, 0, 2 with top grade 3: stop with 7/8 at rank 1, with 1/8 x 3/8 at rank 3: 0.875 + 0.0469 / 3:

>>> from rankproof.testing import value
>>> value("ERR@10", ranking=[3, 0, 2])
0.8906
>>> value("ERR(max_grade=4)@10", ranking=[3, 0, 2])
0.4727
"""

from __future__ import annotations

from rankproof.measuring.dependence import Rising
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _cascade as c
from rankproof.measuring.measures._expected import by_rank
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant


def expected_reciprocal_rank(table: JudgedTable, variant: Variant) -> Values:
    """The sum of the probability of stopping at each rank, divided by the rank."""
    top = c.top_grade(table.pool, variant)
    stopped = table.remember(
        ("stopped", top),
        lambda: c.stop_probability(table.grade, top) * c.reach(table.grade, table.query, table.start, top),
    )
    return table.sum(stopped / table.rank * table.within(variant.k))


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The mean over all orders of tied documents, group by group."""
    stop = c.stop_probability(table.grade, c.top_grade(table.pool, variant))
    return c.expected_err(table, variant.k, stop, 1.0 / by_rank(table))


def nothing_graded(table: JudgedTable, variant: Variant) -> Mask:
    """No document of the query has a grade above 0."""
    none: Mask = table.pool.relevant(1) == 0
    return none


def depends(variant: Variant) -> Rising:
    """A better document stops the reader earlier."""
    return Rising()


OFFERS = (
    Measure(
        name="ERR",
        page=__doc__,
        formula=(
            r"\mathrm{ERR@}k = \sum_{i=1}^{k} \frac{s_i}{i} \prod_{j<i} (1 - s_j), \qquad s_i = "
            r"\frac{2^{g_i} - 1}{2^{g_{\max}}}"
        ),
        compute=expected_reciprocal_rank,
        params=(c.MAX_GRADE,),
        undefined=nothing_graded,
        fine_print=c.say_top_grade,
        expected=expected,
        depends=depends,
        spellings=("err", "expected_reciprocal_rank"),
    ),
)
