"""The run has no row: there is nothing to measure, and nothing may be concluded from it.

A query that returned nothing is a different thing (see missing_query). A file in which no line could be
read as a row is empty too; the finding then says so, and wrong_columns shows the lines.

severity: error
remedy: check that the right file was given, that it was written to its end, and that --format fits it

>>> from rankproof.testing.ruling import show
>>> show("empty", run="")
example.run: the run has no row. Check that the file is the right one and was written to its end.
"""

from __future__ import annotations

from rankproof.kernel.sections import counted
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot for a run without rows."""
    if len(subject):
        return NOTHING
    unread = subject.rows.fault_count
    if unread:
        remedy = "See wrong_columns for the lines; if the file is in another format, name it with --format."
        return found([Spot(f"none of its {counted(unread, 'line')} could be read as a row.", remedy=remedy)])
    return found([Spot(f"the {subject.noun} {'have' if subject.noun == 'qrels' else 'has'} no row.")])


OFFERS = (
    Check(
        name="empty",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Check that the file is the right one and was written to its end.",
    ),
)
