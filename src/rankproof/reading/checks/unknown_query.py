"""The run answers a query that is in neither the qrels nor the topics: it cannot be scored.

Such queries are left out of every mean. A few are harmless; many mean that run and qrels belong to
different sets of queries.

severity: warning
remedy: check that run and qrels (or topics) belong together

>>> from rankproof.testing.ruling import show
>>> show("unknown_query", run=["q1 Q0 d1 1 9.5 bm25", "q9 Q0 d1 1 9.5 bm25"], qrels=["q1 0 d1 1"])
example.run, line 2: query 'q9' is not in the qrels and cannot be scored. Check that the files
belong together.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._against import known_queries, named
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot per query of the run that nobody knows."""
    known = known_queries(subject)
    if known is None:
        return NOTHING
    unknown = [place for place, query_id in enumerate(subject.query_ids) if query_id not in known]
    rows = np.sort(subject.first_row[unknown]) if unknown else np.empty(0, dtype=np.int64)
    return found(
        (
            Spot(
                f"query {subject.query_name(row)} is not in the {named(subject)} and cannot be scored.",
                subject.line(row),
                subject.query_id(row),
            )
            for row in rows[:FEW].tolist()
        ),
        len(rows),
    )


OFFERS = (
    Check(
        name="unknown_query",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Check that the files belong together.",
    ),
)
