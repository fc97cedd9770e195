"""A document is judged twice for one query, with different grades: the file cannot tell which one holds.

Tools keep the first, the last or the greatest, and the values differ. The same document under different
values of column 2 is not a duplicate: there column 2 names a subtopic.

severity: error
remedy: settle the grade and keep one of the two lines

>>> from rankproof.testing.ruling import show
>>> show("conflicting_judgment", qrels=["q1 0 d1 1", "q1 0 d1 2"])
example.qrels, line 2: document 'd1' has grade 2 for query 'q1' here, and grade 1 on line 1. Settle
the grade and keep one of the two lines.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._repeated import repeated
from rankproof.reading.checks.contract import FEW, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per row whose document has another grade in an earlier row."""
    again, first = repeated(subject, same_grade=False)
    return found(
        (
            spot(
                subject,
                row,
                f"document {subject.doc_name(row)} has grade {subject.number(row)} for query "
                f"{subject.query_name(row)} here, and grade {subject.number(earlier)}"
                f"{subject.on_line(earlier)}.",
            )
            for row, earlier in zip(again[:FEW].tolist(), first[:FEW].tolist(), strict=True)
        ),
        len(again),
    )


OFFERS = (
    Check(
        name="conflicting_judgment",
        page=__doc__,
        of=("qrels",),
        severity="error",
        look=look,
        remedy="Settle the grade and keep one of the two lines.",
    ),
)
