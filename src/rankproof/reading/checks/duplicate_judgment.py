"""A document is judged twice for one query, with the same grade: the second line adds nothing.

It is counted once. The same document under different values of column 2 is not a duplicate: there column
2 names a subtopic.

severity: warning
remedy: remove one of the two lines

>>> from rankproof.testing.ruling import show
>>> show("duplicate_judgment", qrels=["q1 0 d1 1", "q1 0 d1 1"])
example.qrels, line 2: document 'd1' already has grade 1 for query 'q1' on line 1. Remove one of the
two lines.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._repeated import repeated
from rankproof.reading.checks.contract import FEW, Check, CheckResult, found, spot


def look(subject: Subject) -> CheckResult:
    """One spot per row that repeats an earlier judgment."""
    again, first = repeated(subject, same_grade=True)
    return found(
        (
            spot(
                subject,
                row,
                f"document {subject.doc_name(row)} already has grade {subject.number(row)} for query "
                f"{subject.query_name(row)}{subject.on_line(earlier)}.",
            )
            for row, earlier in zip(again[:FEW].tolist(), first[:FEW].tolist(), strict=True)
        ),
        len(again),
    )


OFFERS = (
    Check(
        name="duplicate_judgment",
        page=__doc__,
        of=("qrels",),
        severity="warning",
        look=look,
        remedy="Remove one of the two lines.",
    ),
)
