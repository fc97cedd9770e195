"""A query has more documents than agreed: measures without a cutoff see more than they do in other runs.

AP, recall without a cutoff, set measures and bpref grow with depth alone, so runs of unequal depth cannot
be compared by them.

severity: warning
remedy: raise --max-depth if the depth is meant, or let --fix with --max-depth cut the run

>>> from rankproof.testing.ruling import show
>>> show("too_deep", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 9.1 bm25"], max_depth=1)
example.run, line 1: query 'q1' has 2 documents, more than the greatest depth of 1. Raise
--max-depth if this is meant, or cut the run with --max-depth and --fix.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot per query beyond the greatest depth."""
    deep = np.sort(subject.first_row[subject.depth > subject.max_depth])

    def say(row: int) -> Spot:
        depth = int(subject.depth[subject.rows.query[row]])
        return Spot(
            f"query {subject.query_name(row)} has {depth:,} documents, more than the greatest depth of "
            f"{subject.max_depth:,}.",
            subject.line(row),
            subject.query_id(row),
        )

    return found((say(row) for row in deep[:FEW].tolist()), len(deep))


OFFERS = (
    Check(
        name="too_deep",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Raise --max-depth if this is meant, or cut the run with --max-depth and --fix.",
    ),
)
