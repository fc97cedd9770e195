"""A score or grade is not a number: the document's place, or the judgment, is unknown.

Thousands separators ('1,234.5'), decimal commas ('0,5'), hexadecimal and words are not read as numbers.
In qrels 'nan' belongs here too; in a run it has its own code, nan_score.

severity: error
remedy: write the number with a decimal point and no separators, or remove the line

>>> from rankproof.testing.ruling import show
>>> show("not_a_number", run=["q1 Q0 d1 1 high bm25"])
example.run, line 1: the score of document 'd1' for query 'q1' is not a number. Write it with a
decimal point and no separators, or remove the line.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import NAN, NOT_A_NUMBER, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows


def look(subject: Subject) -> CheckResult:
    """One spot per row whose number could not be read."""
    state = subject.rows.state
    bad = state == NOT_A_NUMBER
    if subject.noun == "qrels":
        bad |= state == NAN
    word = "grade" if subject.noun == "qrels" else "score"
    return found_rows(
        subject,
        np.flatnonzero(bad),
        lambda row: (
            f"the {word} of document {subject.doc_name(row)} for query {subject.query_name(row)} is not a number."
        ),
    )


OFFERS = (
    Check(
        name="not_a_number",
        page=__doc__,
        of=("run", "qrels"),
        severity="error",
        firm=("qrels",),
        look=look,
        remedy="Write it with a decimal point and no separators, or remove the line.",
    ),
)
