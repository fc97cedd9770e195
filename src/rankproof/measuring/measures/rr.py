"""Reciprocal rank: 1 over the rank of the first relevant document. Its mean is known as MRR.

0 when there is no relevant document within the cutoff. `mrr@10` is RR@10, with the cutoff; trec_eval's
`recip_rank` has none.

range: 0 to 1
undefined: the query has no relevant document; counts as 0
source: Voorhees, The TREC-8 question answering track report, 1999

>>> from rankproof.testing import value
>>> value("RR", ranking=[0, 0, 1])
0.3333
>>> value("RR@10", ranking=[0] * 19 + [1])
0.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import Best, first
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import log_factorials
from rankproof.measuring.measures.contract import REL, Measure, Values, Variant


def reciprocal_rank(table: JudgedTable, variant: Variant) -> Values:
    """1 / rank of each query's first relevant row."""
    rows = np.flatnonzero(table.relevant(variant["rel"]) & table.within(variant.k))
    query = table.query[rows]
    values = np.zeros(len(table))
    # Written from the last row to the first, so that the best rank of each query stays.
    values[query[::-1]] = 1.0 / table.rank[rows[::-1]]
    return values


def expected(table: JudgedTable, variant: Variant) -> Values:
    """In the first tie group with relevant documents, m of n: the first is at place j with probability
    C(n - j, m - 1) / C(n, m).
    """
    rows = np.flatnonzero(table.relevant(variant["rel"]))
    query, first = table.query[rows], table.tie_first[rows].astype(np.int64)
    # Rows go by rank: the first relevant row of a query lies in the group that decides.
    q, head = np.unique(query, return_index=True)
    size = table.tie_last[rows][head] - first[head] + 1
    marked = np.bincount(query[first == first[head][np.searchsorted(q, query)]], minlength=len(table))[q]
    who = np.repeat(np.arange(len(q)), size)
    place = np.arange(1, len(who) + 1) - np.repeat(np.cumsum(size) - size, size)
    logs = log_factorials(int(size.max(initial=0)))
    n, m = size[who], marked[who]
    possible = n - place >= m - 1
    behind = np.where(possible, n - place, m - 1)
    log_ways = logs[behind] - logs[m - 1] - logs[behind - m + 1] - (logs[n] - logs[m] - logs[n - m])
    rank = first[head][who] + place - 1
    seen = possible if variant.k is None else possible & (rank <= variant.k)
    worth = np.where(seen, np.exp(log_ways) / rank, 0.0)
    return np.bincount(q[who], weights=worth, minlength=len(table)).astype(np.float64)


def depends(variant: Variant) -> Best:
    """The best rank of any relevant document decides."""
    return Best(lambda rank, retrieved: first(variant.k)(rank, retrieved) / rank, variant["rel"])


OFFERS = (
    Measure(
        name="RR",
        page=__doc__,
        formula=r"\mathrm{RR@}k = \max_{i \leq k} \frac{r_i}{i}",
        compute=reciprocal_rank,
        params=(REL,),
        expected=expected,
        depends=depends,
        spellings=("rr", "mrr", "reciprocal_rank", "mean_reciprocal_rank", "DocumentMRREvaluator"),
    ),
)
