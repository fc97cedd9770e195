"""A document is ranked twice for one query: a relevant one would count twice, and measures leave their range.

trec_eval stops with an error here; other tools keep the first, the last or both, each with another value.
The usual reasons: two runs put together, or passages whose ids were cut to their documents' (see
--collapse).

severity: error
remedy: keep one of the lines; `rankproof runs validate RUN --fix OUT` does so where both have the same score

>>> from rankproof.testing.ruling import show
>>> show("duplicate_document", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 9.1 bm25", "q1 Q0 d1 3 8.7 bm25"])
example.run, line 3: document 'd1' is already ranked for query 'q1' on line 1. Keep one of the two
lines.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per row whose document an earlier row of the query has."""
    again, first = subject.rows.duplicates()
    return found(
        (
            spot(
                subject,
                row,
                f"document {subject.doc_name(row)} is already ranked for query {subject.query_name(row)}"
                f"{subject.on_line(earlier)}.",
            )
            for row, earlier in zip(again[:FEW].tolist(), first[:FEW].tolist(), strict=True)
        ),
        len(again),
    )


OFFERS = (
    Check(
        name="duplicate_document",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Keep one of the two lines.",
    ),
)
