"""A line has bytes that are not text in UTF-8: its ids cannot be compared with those of another file.

The usual reasons: a file written in another encoding (Latin-1, UTF-16), one that is not text at all, or zero bytes
that a full or broken disk has left in it.

severity: error
remedy: convert the file, for example with `iconv -f latin1 -t utf-8`

>>> from rankproof.testing.ruling import show
>>> show("undecodable_bytes", run=b"q1 Q0 caf\\xe9 1 9.5 bm25")
example.run, line 1: an id on this line is not text in UTF-8. Convert the file to UTF-8, for example
with iconv -f latin1 -t utf-8.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot per line with undecodable ids."""
    lines = subject.rows.undecodable
    return found((Spot("an id on this line is not text in UTF-8.", line) for line in lines[:FEW]), len(lines))


OFFERS = (
    Check(
        name="undecodable_bytes",
        page=__doc__,
        of=("run", "qrels"),
        severity="error",
        look=look,
        remedy="Convert the file to UTF-8, for example with iconv -f latin1 -t utf-8.",
    ),
)
