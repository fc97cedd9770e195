"""The ranks of a query leave a number out: rows may be missing from the middle of the ranking.

Ranks count from 1 (or from 0, as some tools do). A gap is left by whoever removes documents from a
ranking and does not count anew, and by a file that lost lines; only the second is a fault of the ranking
itself.

severity: warning
remedy: make sure that no row is missing; --fix counts anew

>>> from rankproof.testing.ruling import show
>>> show("rank_gap", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 4 9.1 bm25"])
example.run, line 2: query 'q1' goes from rank 1 to rank 4. Make sure that no row is missing; --fix
counts the ranks anew.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per query with a gap: the row after its first one."""
    by_rank = subject.by_rank
    if not len(by_rank):
        return NOTHING
    query, rank = subject.rows.query[by_rank], subject.rows.rank[by_rank]
    begins = np.concatenate(([True], query[1:] != query[:-1]))
    # Rank 0 before a query's first row: then a ranking from 0 or 1 has no gap, one from 2 has.
    before = np.where(begins, 0, np.concatenate(([0], rank[:-1])))
    gaps = np.flatnonzero(rank - before > 1)
    _, first = np.unique(query[gaps], return_index=True)
    gaps = gaps[first]
    gaps = gaps[np.argsort(by_rank[gaps], kind="stable")]

    def say(place: int) -> str:
        name = subject.query_name(int(by_rank[place]))
        if begins[place]:
            return f"the ranks of query {name} begin at {int(rank[place])}."
        return f"query {name} goes from rank {int(before[place])} to rank {int(rank[place])}."

    return found((spot(subject, int(by_rank[p]), say(p)) for p in gaps[:FEW].tolist()), len(gaps))


OFFERS = (
    Check(
        name="rank_gap",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Make sure that no row is missing; --fix counts the ranks anew.",
    ),
)
