"""The qrels have no judgment: no measure is defined without one.

severity: error
remedy: check that the right file was given, that it was written to its end, and that --format fits it

>>> from rankproof.testing.ruling import show
>>> show("empty_qrels", qrels="")
example.qrels: the qrels have no row. Check that the file is the right one and was written to its
end.
"""

from __future__ import annotations

from rankproof.reading.checks.contract import Check
from rankproof.reading.checks.empty import look

OFFERS = (
    Check(
        name="empty_qrels",
        page=__doc__,
        of=("qrels",),
        severity="error",
        look=look,
        remedy="Check that the file is the right one and was written to its end.",
    ),
)
