"""The run has more than one run tag: two runs may have been put together.

The tag names the run and is not used in evaluation. Two tags in one file are the trace that a careless
`cat` leaves.

severity: warning
remedy: split the file, or give all rows one tag with --fix and --tag

>>> from rankproof.testing.ruling import show
>>> show("mixed_tags", run=["q1 Q0 d1 1 9.5 bm25", "q2 Q0 d1 1 0.8 dense"])
example.run, line 2: the tag is 'dense' here and 'bm25' on line 1; 2 tags in all. Split the run by
tag, or give all rows one tag with --tag and --fix.
"""

from __future__ import annotations

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, found, spot
from rankproof.reading.finding import quote


def look(subject: Subject) -> CheckResult:
    """One spot for the run: where the first other tag appears."""
    label = subject.rows.label
    if not len(label) or label[0] < 0:
        return NOTHING
    others = np.flatnonzero(label != label[0])
    if not len(others):
        return NOTHING
    row, labels = int(others[0]), subject.rows.labels
    tags = len(np.unique(label))
    message = (
        f"the tag is {quote(labels[label[row]])} here and {quote(labels[label[0]])}{subject.on_line(0)}; "
        f"{tags:,} tags in all."
    )
    return found([spot(subject, row, message)])


OFFERS = (
    Check(
        name="mixed_tags",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Split the run by tag, or give all rows one tag with --tag and --fix.",
    ),
)
