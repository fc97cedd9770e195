"""All documents of a query have one and the same score: their order is the rule for ties, not the system's.

The usual reasons: a score column filled with a constant because only the ranks were meant, or a system
that failed for this query and gave everything the same score.

severity: warning
remedy: if the ranks or the order of the lines are meant, say so with --order rank or --order given

>>> from rankproof.testing.ruling import show
>>> show("constant_scores", run=["q1 Q0 d1 1 1.0 bm25", "q1 Q0 d2 2 1.0 bm25"])
example.run, line 1: all 2 documents of query 'q1' have the score 1. If the ranks or the order of
the lines are meant, say so with --order rank or --order given.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import OK, Subject
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per query of two or more documents whose scores are all equal."""
    if not len(subject) or not subject.ranked_by_score:
        return NOTHING
    rows = subject.rows
    # A row that differs from its query's first row, or whose score is no number, clears the query.
    differs = (rows.number != rows.number[subject.first_row][rows.query]) | (rows.state != OK)
    constant = (np.bincount(rows.query[differs], minlength=len(subject.depth)) == 0) & (subject.depth > 1)
    firsts = np.sort(subject.first_row[constant])

    def say(row: int) -> str:
        depth = int(subject.depth[rows.query[row]])
        name, score = subject.query_name(row), subject.number(row)
        return f"all {depth:,} documents of query {name} have the score {score}."

    return found((spot(subject, row, say(row)) for row in firsts[:FEW].tolist()), len(firsts))


OFFERS = (
    Check(
        name="constant_scores",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="If the ranks or the order of the lines are meant, say so with --order rank or --order given.",
    ),
)
