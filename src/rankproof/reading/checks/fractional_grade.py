"""A grade is not a whole number: grades are steps of a scale, and other tools cut fractions off silently.

1.0 is whole. A fraction is usually an average of several judges, or a score that stands where a grade
belongs. A number beyond 2,147,483,647 is no step of any scale either.

severity: error
remedy: map the numbers to whole grades, or check that the file holds qrels and not a run

>>> from rankproof.testing.ruling import show
>>> show("fractional_grade", qrels=["q1 0 d1 1.0", "q1 0 d2 0.5"])
example.qrels, line 2: the grade of document 'd2' for query 'q1' is 0.5, which is not a whole
number. Map the grades to whole numbers; check that the file holds qrels and not a run.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import INFINITE, OK, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows

# The compiled core takes no grade beyond this: core/judgments.cpp and core/dicts.cpp have the same number.
GREATEST = 2_000_000_000


def look(subject: Subject) -> CheckResult:
    """One spot per judgment that is no whole number of reasonable size."""
    number, state = subject.rows.number, subject.rows.state
    unfit = (number != np.floor(number)) | (np.abs(number) > GREATEST)
    rows = np.flatnonzero((unfit & (state == OK)) | (state == INFINITE))

    def say(row: int) -> str:
        text = (
            f"the grade of document {subject.doc_name(row)} for query {subject.query_name(row)} is "
            f"{subject.number(row)}"
        )
        fraction = state[row] == OK and number[row] != np.floor(number[row])
        return f"{text}, which is not a whole number." if fraction else f"{text}, beyond any scale of grades."

    return found_rows(subject, rows, say)


OFFERS = (
    Check(
        name="fractional_grade",
        page=__doc__,
        of=("qrels",),
        severity="error",
        firm=("qrels",),
        look=look,
        remedy="Map the grades to whole numbers; check that the file holds qrels and not a run.",
    ),
)
