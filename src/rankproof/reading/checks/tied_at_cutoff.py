"""Two documents with the same score stand on both sides of a cutoff: who is in, the scores do not say.

The value of a measure at that cutoff then depends on the rule for ties (here: document id, descending)
and not on the system. Rounded scores are the usual reason.

severity: warning
remedy: write the scores with all their digits, or report the span: `rankproof evaluate --ties range`

>>> from rankproof.testing.ruling import show
>>> show("tied_at_cutoff", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 9.5 bm25"], cutoffs=[1])
example.run, line 1: documents 'd2' and 'd1' of query 'q1' have the same score 9.5 at ranks 1 and 2,
on both sides of cutoff 1. Write the scores with all their digits, or report the span with --ties
range.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import OK, Subject
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per query and cutoff with a tie across it."""
    if not subject.cutoffs or not subject.ranked_by_score:
        return NOTHING
    rows, number, state = subject.by_score, subject.rows.number, subject.rows.state
    places: list[tuple[int, int, int]] = []  # (row within, row beyond, cutoff)
    for k in subject.cutoffs:
        last = subject.start[:-1][subject.depth > k] + k - 1
        inside, beyond = rows[last], rows[last + 1]
        tied = (number[inside] == number[beyond]) & (state[inside] == OK)
        places.extend(zip(inside[tied].tolist(), beyond[tied].tolist(), np.full(int(tied.sum()), k), strict=True))
    places.sort(key=lambda place: place[1])

    def say(inside: int, beyond: int, k: int) -> str:
        return (
            f"documents {subject.doc_name(inside)} and {subject.doc_name(beyond)} of query "
            f"{subject.query_name(beyond)} have the same score {subject.number(beyond)} at ranks {k} and "
            f"{k + 1}, on both sides of cutoff {k}."
        )

    return found((spot(subject, p[1], say(*p)) for p in places[:FEW]), len(places))


OFFERS = (
    Check(
        name="tied_at_cutoff",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Write the scores with all their digits, or report the span with --ties range.",
    ),
)
