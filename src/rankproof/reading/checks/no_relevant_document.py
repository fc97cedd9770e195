"""A query has no document of grade 1 or more: most measures are undefined for it and count it as 0.

No system can do better than 0 on such a query, so it pulls every mean down alike. `--undefined skip`
leaves such queries out.

severity: warning
remedy: judge more documents for the query, or leave such queries out with --undefined skip

>>> from rankproof.testing.ruling import show
>>> show("no_relevant_document", qrels=["q1 0 d1 1", "q2 0 d1 0"])
example.qrels, line 2: query 'q2' has no relevant document among its 1 judged. Judge more documents,
or leave such queries out with --undefined skip.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot per query without a relevant document."""
    relevant = np.bincount(subject.rows.query[subject.rows.number >= 1], minlength=len(subject.depth))
    rows = np.sort(subject.first_row[(relevant == 0) & (subject.depth > 0)])

    def say(row: int) -> Spot:
        judged = int(subject.depth[subject.rows.query[row]])
        text = f"query {subject.query_name(row)} has no relevant document among its {judged:,} judged."
        return Spot(text, subject.line(row), subject.query_id(row))

    return found((say(row) for row in rows[:FEW].tolist()), len(rows))


OFFERS = (
    Check(
        name="no_relevant_document",
        page=__doc__,
        of=("qrels",),
        severity="warning",
        look=look,
        remedy="Judge more documents, or leave such queries out with --undefined skip.",
    ),
)
