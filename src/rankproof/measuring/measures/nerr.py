"""Normalized expected reciprocal rank: ERR over the ERR of the best possible order, both cut at k.

The best order is that of all judged documents of the query by descending grade.

range: 0 to 1
undefined: the query has no document with a grade above 0; counts as 0
source: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009

Grades 3, 0, 2: 0.8906 against 0.8984 for 3, 2, 0:

>>> from rankproof.testing import value
>>> value("nERR@10", ranking=[3, 0, 2])
0.9913
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Rising
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _cascade as c
from rankproof.measuring.measures import err
from rankproof.measuring.measures.contract import Measure, Values, Variant


def ideal_err(table: JudgedTable, variant: Variant) -> Values:
    """ERR of all judged documents in descending order of grade."""
    pool, top = table.pool, c.top_grade(table.pool, variant)
    stopped = pool.remember(
        ("stopped", top),
        lambda: c.stop_probability(pool.grade, top) * c.reach(pool.grade, pool.query, pool.start, top),
    )
    within = True if variant.k is None else pool.position <= variant.k
    return pool.sum(stopped / pool.position * within)


def over_ideal(value: Values, table: JudgedTable, variant: Variant) -> Values:
    """An ERR divided by the ideal one; 0 where the ideal is 0."""
    ideal = ideal_err(table, variant)
    return np.divide(value, ideal, out=np.zeros(len(value)), where=ideal > 0)


def normalized_err(table: JudgedTable, variant: Variant) -> Values:
    """ERR over ideal ERR."""
    return over_ideal(err.expected_reciprocal_rank(table, variant), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Expected ERR over ideal ERR, which no order of the run changes."""
    return over_ideal(err.expected(table, variant), table, variant)


def depends(variant: Variant) -> Rising:
    """ERR, over one that rises too."""
    return Rising(ideal_err)


OFFERS = (
    Measure(
        name="nERR",
        page=__doc__,
        formula=r"\mathrm{nERR@}k = \frac{\mathrm{ERR@}k(d)}{\mathrm{ERR@}k(d^*)}",
        compute=normalized_err,
        params=(c.MAX_GRADE,),
        undefined=err.nothing_graded,
        fine_print=c.say_top_grade,
        expected=expected,
        depends=depends,
        spellings=("nerr",),
    ),
)
