"""A score is NaN: it compares with nothing, so the document has no place in the ranking.

Tools that sort NaN put it first, last or anywhere, and the value of every measure changes with that. A
NaN score usually comes from a division by zero or a logarithm in the system that wrote the run.

severity: error
remedy: find where the system makes the NaN; give the document a real score or leave it out

>>> from rankproof.testing.ruling import show
>>> show("nan_score", run=["q1 Q0 d1 1 nan bm25"])
example.run, line 1: the score of document 'd1' for query 'q1' is NaN, which has no place in an
order. Give the document a real score or leave it out.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import NAN, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows


def look(subject: Subject) -> CheckResult:
    """One spot per row whose score is NaN."""
    return found_rows(
        subject,
        np.flatnonzero(subject.rows.state == NAN),
        lambda row: (
            f"the score of document {subject.doc_name(row)} for query {subject.query_name(row)} is NaN, "
            "which has no place in an order."
        ),
    )


OFFERS = (
    Check(
        name="nan_score",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Give the document a real score or leave it out.",
    ),
)
