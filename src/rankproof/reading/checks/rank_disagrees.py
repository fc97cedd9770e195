"""The rank column says one order and the scores another: which of the two is meant, the file cannot tell.

rankproof, like trec_eval, orders by score and ignores the ranks. If the ranks are what the system
returned (a reranker that kept the old scores, distances where lower is better), every number is wrong.
Documents with equal scores may stand in any order: that is no disagreement.

severity: warning
remedy: say which is meant: --order rank, --order score, or --lower-is-better for distances

>>> from rankproof.testing.ruling import show
>>> show("rank_disagrees", run=["q1 Q0 d1 1 8.2 bm25", "q1 Q0 d2 2 9.1 bm25"])
example.run, line 2: query 'q1' has document 'd2' (score 9.1) at rank 2, below document 'd1' (score
8.2) at rank 1. The scores decide unless --order rank is given; for distances use --lower-is-better.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import OK, Subject
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per query: the first document that a better score should put above its neighbor."""
    if not subject.ranked_by_score:
        return NOTHING
    # A query with an unreadable rank is bad_rank's; its other ranks prove nothing.
    unreadable = np.zeros(len(subject.depth), dtype=bool)
    unreadable[subject.rows.query[subject.rows.rank < 0]] = True
    by_rank = subject.by_rank
    by_rank = by_rank[(subject.rows.state[by_rank] == OK) & ~unreadable[subject.rows.query[by_rank]]]
    query, rank, score = (column[by_rank] for column in (subject.rows.query, subject.rows.rank, subject.rows.number))
    better = score[1:] < score[:-1] if subject.order.lower_is_better else score[1:] > score[:-1]
    # Rows of one rank stand best score first, so looking at neighbors finds every disagreement.
    wrong = 1 + np.flatnonzero((query[1:] == query[:-1]) & (rank[1:] > rank[:-1]) & better)
    _, first = np.unique(query[wrong], return_index=True)
    wrong = wrong[first]
    wrong = wrong[np.argsort(by_rank[wrong], kind="stable")]

    def say(place: int) -> str:
        low, high = int(by_rank[place]), int(by_rank[place - 1])
        return (
            f"query {subject.query_name(low)} has document {subject.doc_name(low)} "
            f"(score {subject.number(low)}) at rank {int(rank[place])}, below document "
            f"{subject.doc_name(high)} (score {subject.number(high)}) at rank {int(rank[place - 1])}."
        )

    return found((spot(subject, int(by_rank[p]), say(p)) for p in wrong[:FEW].tolist()), len(wrong))


OFFERS = (
    Check(
        name="rank_disagrees",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="The scores decide unless --order rank is given; for distances use --lower-is-better.",
    ),
)
