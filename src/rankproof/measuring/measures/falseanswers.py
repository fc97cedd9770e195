"""False answers: of the queries that have no answer in the collection, the share that was answered.

1 where documents were returned for a query without a relevant document, 0 where the ranking is empty. A system that
should say nothing returns nothing: cut its rankings at the threshold first. Lower is better; a gate holds it with
`least_value` and `at_most`. Queries with a relevant document are of the other kind: AnswerRate.

range: 0 to 1
undefined: the query has a relevant document; left out of the mean
source: the false-answer (false-positive) rate of question answering with unanswerable questions; Rajpurkar, Jia and
    Liang, Know what you don't know: unanswerable questions for SQuAD, ACL 2018

Nothing is relevant, and something is returned; then nothing is:

>>> from rankproof.testing import value
>>> value("FalseAnswers", ranking=[0, None])
1.0
>>> value("FalseAnswers", ranking=[], pool=[0])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import REL, Mask, Measure, Values, Variant


def answered(table: JudgedTable, variant: Variant) -> Values:
    """1 where something was returned."""
    values: Values = (table.retrieved > 0).astype(np.float64)
    return values


def with_relevant(table: JudgedTable, variant: Variant) -> Mask:
    """The query has an answer."""
    some: Mask = table.pool.relevant(variant["rel"]) > 0
    return some


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """How many queries it is about."""
    count = int((~with_relevant(table, variant)).sum())
    return f"over {count} {'query' if count == 1 else 'queries'} without a relevant document"


OFFERS = (
    Measure(
        name="FalseAnswers",
        page=__doc__,
        formula=r"\mathrm{FalseAnswers} = [n > 0] \text{ where } R = 0",
        compute=answered,
        params=(REL,),
        cutoff="none",
        undefined=with_relevant,
        skips_undefined=True,
        better="lower",
        fine_print=fine_print,
        expected=answered,
        spellings=("false_answers", "false_answer_rate"),
    ),
)
