"""A line has too few columns, or too many: it cannot be read as a row, and what it says would be lost.

The usual reasons: another separator than the format's, white space inside an id, a line break inside quotes, a
file cut short in the middle of a line, or another format than the one that was detected.

severity: error
remedy: correct the line, or name the file's format with --format

>>> from rankproof.testing.ruling import show
>>> show("wrong_columns", run=["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2"])
example.run, line 2: 4 columns ('q1 Q0 d2 2'); a TREC run has 6: query_id Q0 doc_id rank score tag.
Correct the line, or name the file's format with --format.
"""

from __future__ import annotations

from rankproof.kernel.sections import counted
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, Spot, found
from rankproof.reading.finding import quote


def look(subject: Subject) -> CheckResult:
    """One spot per line that could not become a row."""
    expected = f"; {subject.shape}" if subject.shape else ", which this format does not have"

    def say(columns: int, text: str) -> str:
        # A shape says how many columns there are ('the header has 3: ...'). With all of them, an id is empty.
        if f" {columns}: " in subject.shape:
            return f"the query id or the document id is empty ({quote(text)})."
        if columns == 0:
            return (
                f"a quote is opened and not closed on this line ({quote(text)}). An id with a line break cannot stand "
                "in a table of text: JSON lines and Parquet hold it."
            )
        return f"{counted(columns, 'column')} ({quote(text)}){expected}."

    faults = subject.rows.faults[:FEW]
    return found((Spot(say(columns, text), line) for line, columns, text in faults), subject.rows.fault_count)


OFFERS = (
    Check(
        name="wrong_columns",
        page=__doc__,
        of=("run", "qrels"),
        severity="error",
        look=look,
        remedy="Correct the line, or name the file's format with --format.",
    ),
)
