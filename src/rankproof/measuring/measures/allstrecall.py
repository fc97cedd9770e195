"""All subtopics: whether the first k documents cover every subtopic of the query.

1 where each subtopic, hop or group of documents that say the same has a document among the first k; 0 otherwise. Which
document covers which is the second column of TREC qrels. Subtopics that no judged document covers do not count.

range: 0 to 1
undefined: no judged document covers a subtopic; counts as 0
source: the success of complete coverage: subtopic recall (Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR
    2003) that reaches 1

Any document with a and one with b are needed: the third brings b.

>>> from rankproof.testing import covering
>>> covering("AllStRecall@3", ranking=["a", "a", "b"], missed=["ab"])
1.0
>>> covering("AllStRecall@2", ranking=["a", "a", "b"], missed=["ab"])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _diversity as d
from rankproof.measuring.measures.contract import Measure, Values, Variant


def all_subtopics(table: JudgedTable, variant: Variant) -> Values:
    """1 where as many subtopics are covered in the first k as there are."""
    pairs, known = d.covered(table, variant), d.known_subtopics(table, variant)
    first = pairs.row[(pairs.earlier == 0) & table.within(variant.k)[pairs.row]]
    covered = np.bincount(table.query[first], minlength=len(table))
    values: Values = ((covered == known) & (known > 0)).astype(np.float64)
    return values


OFFERS = (
    Measure(
        name="AllStRecall",
        page=__doc__,
        formula=r"\mathrm{AllStRecall@}k = \left[ \bigcup_{i=1}^{k} T(d_i) = T \right]",
        compute=all_subtopics,
        params=(d.COVERS,),
        undefined=d.uncovered,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("all_st_recall", "all_groups"),
    ),
)
