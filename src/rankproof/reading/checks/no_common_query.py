"""Run and qrels (or topics) have no query id in common: every value would be 0 and say nothing of the system.

The finding comes with a guess at why: letter case, white space, a prefix, integers against strings, Unicode
normalization.

severity: error
remedy: check that the files belong together, and write the query ids the same way in both

>>> from rankproof.testing.ruling import show
>>> show("no_common_query", run=["q7 Q0 d1 1 9.5 bm25"], qrels=["7 0 d1 1"])
example.run: no query id is in both the run ('q7', ...) and the qrels ('7', ...). They may differ
only by a prefix or suffix: 'q7' in the run, '7' in the qrels (the one would meet). Check that the
files belong together, and write the ids the same way in both.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._against import known_queries, named
from rankproof.reading.checks._why import guess
from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, Spot, found
from rankproof.reading.finding import quote

# How many ids a guess looks at: enough to tell, and still quick.
SAMPLE = 20_000


def look(subject: Subject) -> CheckResult:
    """One spot when no query is in both."""
    known = known_queries(subject)
    ours = subject.query_ids
    if not known or not ours or not known.keys().isdisjoint(ours):
        return NOTHING
    name = named(subject)
    first, theirs = quote(ours[0]), quote(next(iter(known)))
    text = f"no query id is in both the run ({first}, ...) and the {name} ({theirs}, ...)."
    reason = guess(ours[:SAMPLE], list(known)[:SAMPLE], "run", name)
    return found([Spot(text if reason is None else f"{text} {reason}")])


OFFERS = (
    Check(
        name="no_common_query",
        page=__doc__,
        of=("run",),
        severity="error",
        look=look,
        remedy="Check that the files belong together, and write the ids the same way in both.",
    ),
)
