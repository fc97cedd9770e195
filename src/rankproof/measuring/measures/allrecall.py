"""All-hops recall: whether every relevant document is among the first k.

1 where the first k hold all relevant documents, 0 otherwise: for questions that need several documents together (hops),
of which one that is missing spoils the answer. With more than k relevant documents no ranking can reach 1; the fine
print says for how many queries. Where any document of a group will do, judge groups as subtopics: AllStRecall.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: the recall of all supporting documents, as multi-hop question answering asks for it; the task is that of Yang et
    al., HotpotQA: a dataset for diverse, explainable multi-hop question answering, EMNLP 2018

Two documents are needed, at ranks 1 and 3:

>>> from rankproof.testing import value
>>> value("AllRecall@3", ranking=[1, 0, 1])
1.0
>>> value("AllRecall@2", ranking=[1, 0, 1])
0.0
>>> value("AllRecall@3", ranking=[1, 0, 1], pool=[1, 0, 1, 1])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import over_hits
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant, ordered


def all_recall(table: JudgedTable, variant: Variant) -> Values:
    """1 where the relevant documents in the first k are all there are."""
    relevant = table.pool.relevant(variant["rel"])
    whole = table.relevant_retrieved(variant["rel"], variant.k) == relevant
    values: Values = (whole & (relevant > 0)).astype(np.float64)
    return values


def expected(table: JudgedTable, variant: Variant) -> Values:
    """The probability that all relevant documents are in the first k."""
    assert variant.k is not None
    relevant = table.pool.relevant(variant["rel"])
    return over_hits(
        table,
        table.relevant(variant["rel"]),
        variant.k,
        lambda hits: ((hits == relevant) & (relevant > 0)).astype(np.float64),
    )


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Whether the cutoff makes 1 impossible for some queries."""
    beyond = int((table.pool.relevant(variant["rel"]) > (variant.k or 0)).sum())
    return f"{beyond} queries have more than {variant.k} relevant documents and cannot reach 1" if beyond else ""


OFFERS = (
    Measure(
        name="AllRecall",
        page=__doc__,
        formula=r"\mathrm{AllRecall@}k = \left[ \sum_{i=1}^{k} r_i = R \right]",
        compute=all_recall,
        params=(REL,),
        cutoff="required",
        fine_print=fine_print,
        expected=expected,
        depends=ordered,
        spellings=("all_recall", "all_hops_recall"),
    ),
)
