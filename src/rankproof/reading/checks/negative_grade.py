"""A grade is below 0: tools do not agree on what it means.

rankproof reads it as judged and not relevant, with gain 0. trec_eval reads -1 as pooled but not judged,
which changes bpref, infAP and Judged@k; --dialect trec_eval does the same.

severity: warning
remedy: if it means "not relevant", write 0; if it means "not judged", remove the line

>>> from rankproof.testing.ruling import show
>>> show("negative_grade", qrels=["q1 0 d1 1", "q1 0 d2 -1"])
example.qrels, line 2: the grade of document 'd2' for query 'q1' is -1; it counts as judged and not
relevant. Write 0 for "not relevant", or remove the line if the document was not judged.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import OK, Subject
from rankproof.reading.checks.contract import Check, CheckResult, found_rows


def look(subject: Subject) -> CheckResult:
    """One spot per judgment below 0."""
    return found_rows(
        subject,
        np.flatnonzero((subject.rows.number < 0) & (subject.rows.state == OK)),
        lambda row: (
            f"the grade of document {subject.doc_name(row)} for query {subject.query_name(row)} is "
            f"{subject.number(row)}; it counts as judged and not relevant."
        ),
    )


OFFERS = (
    Check(
        name="negative_grade",
        page=__doc__,
        of=("qrels",),
        severity="warning",
        look=look,
        remedy='Write 0 for "not relevant", or remove the line if the document was not judged.',
    ),
)
