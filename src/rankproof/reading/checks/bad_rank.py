"""A rank is not a whole number from 0 on: it cannot be held against the scores.

rankproof orders by score and does not need the ranks, unless --order rank asks for them: then it is an
error.

severity: warning; error with --order rank
remedy: rewrite the ranks from the scores with `rankproof runs validate RUN --fix OUT`

>>> from rankproof.testing.ruling import show
>>> show("bad_rank", run=["q1 Q0 d1 first 9.5 bm25"])
example.run, line 1: the rank of document 'd1' for query 'q1' is not a whole number. Rewrite the
ranks from the scores: --fix does so.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import BAD_RANK, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows
from rankproof.reading.finding import Severity


def look(subject: Subject) -> CheckResult:
    """One spot per row whose rank could not be read."""
    return found_rows(
        subject,
        np.flatnonzero(subject.rows.rank == BAD_RANK),
        lambda row: (
            f"the rank of document {subject.doc_name(row)} for query {subject.query_name(row)} is not a whole number."
        ),
    )


def weigh(subject: Subject) -> Severity:
    """An error where the ranks decide."""
    return "error" if subject.order.by == "rank" else "warning"


OFFERS = (
    Check(
        name="bad_rank",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Rewrite the ranks from the scores: --fix does so.",
        weigh=weigh,
    ),
)
