"""A line goes on after its last column: what stands there is not read.

In a TREC run that is after the tag. A tag with a blank in it is harmless; a document id with a blank in
it is not, because it moves every column behind it.

severity: warning
remedy: remove what follows; --fix does so

>>> from rankproof.testing.ruling import show
>>> show("extra_columns", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 9.1 bm25 k1=0.9"])
example.run, line 2: more columns than expected ('q1 Q0 d2 2 9.1 bm25 k1=0.9'); a TREC run has 6:
query_id Q0 doc_id rank score tag. Remove what follows: --fix does so. If an id has a blank in it,
use a format that allows it.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, Spot, found
from rankproof.reading.finding import quote


def look(subject: Subject) -> CheckResult:
    """One spot per line that is longer than the format says."""
    if subject.again is None:
        return NOTHING
    narrow = subject.again()
    count = narrow.fault_count - subject.rows.fault_count
    if count <= 0:
        return NOTHING
    # What has too few columns is a fault in both readings.
    short = {line for line, _, _ in subject.rows.faults}
    expected = f"; {subject.shape}" if subject.shape else ""
    lines = [fault for fault in narrow.faults if fault[0] not in short][:FEW]
    return found(
        (Spot(f"more columns than expected ({quote(text)}){expected}.", line) for line, _, text in lines), count
    )


OFFERS = (
    Check(
        name="extra_columns",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy=("Remove what follows: --fix does so. If an id has a blank in it, use a format that allows it."),
    ),
)
