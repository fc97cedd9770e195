"""Subtopic recall: the share of the query's subtopics that the first k documents cover.

Subtopics that no judged document covers do not count.

range: 0 to 1
undefined: no judged document covers a subtopic; counts as 0
source: Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003; ndeval of TREC's Web track

Subtopics a, b, c, d; the first two documents cover a and b:

>>> from rankproof.testing import covering
>>> covering("StRecall@2", ranking=["a", "ab", "c"], missed=["d"])
0.5
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import _diversity as d
from rankproof.measuring.measures._expected import hypergeometric
from rankproof.measuring.measures.contract import Measure, Values, Variant


def divided(covered: Values, table: JudgedTable, variant: Variant) -> Values:
    """The number of covered subtopics over those that some judged document covers."""
    known = d.known_subtopics(table, variant)
    return np.divide(covered, known, out=np.zeros(len(table)), where=known > 0)


def subtopic_recall(table: JudgedTable, variant: Variant) -> Values:
    """Subtopics whose first document is in the first k."""
    pairs = d.covered(table, variant)
    first = pairs.row[(pairs.earlier == 0) & table.within(variant.k)[pairs.row]]
    return divided(np.bincount(table.query[first], minlength=len(table)).astype(float), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """A subtopic is missed when none of its documents in its first tie group falls into the first k."""
    pairs = d.covered(table, variant)
    heads = np.flatnonzero(pairs.earlier == 0)
    head = np.cumsum(pairs.earlier == 0) - 1
    first, last = table.tie_first[pairs.row], table.tie_last[pairs.row]
    leading = first == first[heads][head]
    marked = np.bincount(head[leading], minlength=len(heads))
    size = (last - first + 1)[heads].astype(np.int64)
    drawn = size if variant.k is None else np.clip(variant.k - first[heads].astype(np.int64) + 1, 0, size)
    met = 1.0 - hypergeometric(0, size, marked, drawn)
    query = table.query[pairs.row[heads]]
    met_subtopics = np.bincount(query, weights=met, minlength=len(table)).astype(np.float64)
    return divided(met_subtopics, table, variant)


OFFERS = (
    Measure(
        name="StRecall",
        page=__doc__,
        formula=r"\mathrm{StRecall@}k = \frac{1}{|T|} \left| \bigcup_{i=1}^{k} T(d_i) \right|",
        compute=subtopic_recall,
        params=(d.COVERS,),
        undefined=d.uncovered,
        expected=expected,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("strecall", "strec"),
    ),
)
