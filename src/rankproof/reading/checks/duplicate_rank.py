"""Two documents of a query have the same rank: the rank column cannot be what decides the order.

rankproof orders by score and does not need the ranks, unless --order rank asks for them. A column that
holds the same number everywhere was never meant as a rank.

severity: warning
remedy: rewrite the ranks from the scores with `rankproof runs validate RUN --fix OUT`

>>> from rankproof.testing.ruling import show
>>> show("duplicate_rank", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 1 9.1 bm25"])
example.run, line 2: rank 1 of query 'q1' is already taken by document 'd1' on line 1. Rewrite the
ranks from the scores: --fix does so.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per row whose rank another row of the query has already."""
    by_rank = subject.by_rank
    query, rank = subject.rows.query[by_rank], subject.rows.rank[by_rank]
    same = (query[1:] == query[:-1]) & (rank[1:] == rank[:-1])
    if not same.any():
        return found(())
    # Within a group of one rank the earliest row of the source is the holder; the others repeat it.
    group = np.concatenate(([0], np.cumsum(~same)))
    holder = np.full(int(group[-1]) + 1, len(subject), dtype=np.int64)
    np.minimum.at(holder, group, by_rank)
    repeats = by_rank != holder[group]
    rows, holders = by_rank[repeats], holder[group][repeats]
    turn = np.argsort(rows, kind="stable")[:FEW]
    return found(
        (
            spot(
                subject,
                row,
                f"rank {int(subject.rows.rank[row])} of query {subject.query_name(row)} is already taken by "
                f"document {subject.doc_name(earlier)}{subject.on_line(earlier)}.",
            )
            for row, earlier in zip(rows[turn].tolist(), holders[turn].tolist(), strict=True)
        ),
        len(rows),
    )


OFFERS = (
    Check(
        name="duplicate_rank",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Rewrite the ranks from the scores: --fix does so.",
    ),
)
