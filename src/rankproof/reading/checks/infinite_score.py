"""A score is infinite, written so or too large to hold: all such documents are tied, whatever was meant.

severity: error
remedy: find where the system overflows or divides by zero; give the document a finite score

>>> from rankproof.testing.ruling import show
>>> show("infinite_score", run=["q1 Q0 d1 1 1e999 bm25"])
example.run, line 1: the score of document 'd1' for query 'q1' is infinite, or too large to hold.
Give the document a finite score.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import INFINITE, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows


def look(subject: Subject) -> CheckResult:
    """One spot per row whose score is infinite."""
    return found_rows(
        subject,
        np.flatnonzero(subject.rows.state == INFINITE),
        lambda row: (
            f"the score of document {subject.doc_name(row)} for query {subject.query_name(row)} is infinite, "
            "or too large to hold."
        ),
    )


OFFERS = (
    Check(
        name="infinite_score",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Give the document a finite score.",
    ),
)
