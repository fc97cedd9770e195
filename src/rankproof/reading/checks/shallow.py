"""A query has fewer documents than the deepest cutoff (10 when no cutoff is given).

P@k still divides by k, so a short list pays for what it does not return. That is right if the system
found no more, and wrong if the file was cut short.

severity: warning
remedy: make sure that the run was not cut short

>>> from rankproof.testing.ruling import show
>>> show("shallow", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 9.1 bm25"])
example.run, line 1: query 'q1' has 2 documents, fewer than 10. Make sure that the run was not cut
short.
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.sections import counted
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, Spot, found

# The depth expected of a run when nobody named a cutoff.
USUAL_DEPTH = 10


def look(subject: Subject) -> CheckResult:
    """One spot per query that does not reach the deepest cutoff."""
    least_depth = max(subject.cutoffs, default=USUAL_DEPTH)
    short = np.sort(subject.first_row[(subject.depth < least_depth) & (subject.depth > 0)])

    def say(row: int) -> Spot:
        depth = int(subject.depth[subject.rows.query[row]])
        text = f"query {subject.query_name(row)} has {counted(depth, 'document')}, fewer than {least_depth:,}."
        return Spot(text, subject.line(row), subject.query_id(row))

    return found((say(row) for row in short[:FEW].tolist()), len(short))


OFFERS = (
    Check(
        name="shallow",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Make sure that the run was not cut short.",
    ),
)
