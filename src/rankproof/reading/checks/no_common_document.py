"""Run and qrels have no document id in common: every value would be 0 and say nothing of the system.

The finding comes with a guess at why: letter case, white space, a prefix or suffix ('doc_12' and '12'),
integers against strings ('0012' and '12', '12.0' and '12'), passages against documents, and Unicode normalization: an
accented letter as one character (NFC) or as a letter and an accent (NFD), which look the same and are two ids.

severity: error
remedy: check that the files belong together, and write the document ids the same way in both

>>> from rankproof.testing.ruling import show
>>> show("no_common_document", run=["q1 Q0 doc_12 1 9.5 bm25"], qrels=["q1 0 12 1", "q1 0 15 0"])
example.run: no document id is in both the run ('doc_12', ...) and the qrels ('12', ...). They may
differ only by a prefix or suffix: 'doc_12' in the run, '12' in the qrels (the one would meet).
Check that the files belong together, and write the ids the same way in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._why import guess
from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, Spot, found
from rankproof.reading.finding import quote

if TYPE_CHECKING:
    from rankproof.core import Rows

# Rows turned into strings at a time. Nearly always the first chunk holds a judged id and the rest is spared.
CHUNK = 50_000

# How many ids a guess looks at: enough to tell, and still quick.
SAMPLE = 20_000


def look(subject: Subject) -> CheckResult:
    """One spot when no document is in both."""
    if subject.qrels is None or not len(subject.qrels) or not len(subject):
        return NOTHING
    judged = set(subject.qrels.doc_ids())
    if not _disjoint(subject.rows, judged):
        return NOTHING
    ours, theirs = _some(subject.rows), _some(subject.qrels)
    text = f"no document id is in both the run ({quote(ours[0])}, ...) and the qrels ({quote(theirs[0])}, ...)."
    reason = guess(ours, theirs, "run", "qrels")
    return found([Spot(text if reason is None else f"{text} {reason}")])


def _disjoint(rows: Rows, ids: set[str]) -> bool:
    for first in range(0, len(rows), CHUNK):
        chunk = np.arange(first, min(first + CHUNK, len(rows)), dtype=np.int64)
        if not ids.isdisjoint(rows.doc_ids(chunk)):
            return False
    return True


def _some(rows: Rows) -> list[str]:
    """Distinct ids of a sample spread over all rows, in the order of the source."""
    step = max(1, len(rows) // SAMPLE)
    return list(dict.fromkeys(rows.doc_ids(np.arange(0, len(rows), step, dtype=np.int64))))


OFFERS = (
    Check(
        name="no_common_document",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Check that the files belong together, and write the ids the same way in both.",
    ),
)
