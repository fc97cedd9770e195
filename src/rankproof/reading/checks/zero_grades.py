"""How many judgments say "not relevant": 0 is a judgment, and not the same as no judgment.

Qrels without any 0 hold only what was found relevant; then nobody can tell an unjudged document from a
bad one, and Judged@k and bpref mean little.

severity: note
remedy: none needed

>>> from rankproof.testing.ruling import show
>>> show("zero_grades", qrels=["q1 0 d1 1", "q1 0 d2 0"])
example.qrels: 1 of 2 judgments has grade 0: judged, not relevant. Nothing needs to be done.
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.sections import counted
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, Spot, found


def look(subject: Subject) -> CheckResult:
    """One spot with the count, if there are any."""
    zeros = int(np.count_nonzero(subject.rows.number == 0))
    if not zeros:
        return NOTHING
    has = "has" if zeros == 1 else "have"
    text = f"{zeros:,} of {counted(len(subject), 'judgment')} {has} grade 0: judged, not relevant."
    return found([Spot(text)])


OFFERS = (
    Check(
        name="zero_grades",
        page=__doc__,
        of=("qrels",),
        severity="note",
        look=look,
        remedy="Nothing needs to be done.",
    ),
)
