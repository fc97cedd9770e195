"""Answer rate: of the queries that have an answer in the collection, the share for which anything was returned.

1 where documents were returned for a query with a relevant document, whether or not one of them is relevant; 0 where
the ranking is empty. It is what silence costs: read it beside FalseAnswers.

range: 0 to 1
undefined: the query has no relevant document; left out of the mean
source: coverage in selective answering; El-Yaniv and Wiener, On the foundations of noise-free selective classification,
    JMLR 11, 2010

>>> from rankproof.testing import value
>>> value("AnswerRate", ranking=[0, 1])
1.0
>>> value("AnswerRate", ranking=[], pool=[1])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def answered(table: JudgedTable, variant: Variant) -> Values:
    """1 where something was returned; 0 too where the query has no answer, which does not count."""
    has_answer = table.pool.relevant(variant["rel"]) > 0
    values: Values = ((table.retrieved > 0) & has_answer).astype(np.float64)
    return values


OFFERS = (
    Measure(
        name="AnswerRate",
        page=__doc__,
        formula=r"\mathrm{AnswerRate} = [n > 0] \text{ where } R > 0",
        compute=answered,
        params=(REL,),
        cutoff="none",
        skips_undefined=True,
        expected=answered,
        spellings=("answer_rate",),
    ),
)
