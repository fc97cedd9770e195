"""A query of the qrels (or of the topics) is missing from the run: it counts as an empty ranking, so as 0.

A system that found nothing for a query and one that was never asked look alike here. Tools that average
over the queries of the run alone would leave it out, and the run that answers only easy queries would
win.

severity: warning
remedy: run the system on the query; if it truly found nothing, the 0 is right

>>> from rankproof.testing.ruling import show
>>> show("missing_query", run=["q1 Q0 d1 1 9.5 bm25"], qrels=["q1 0 d1 1", "q2 0 d1 1"])
example.run: query 'q2' of the qrels is missing from the run and counts as an empty ranking. Run the
system on it; if it found nothing, the empty ranking is right.
"""

from __future__ import annotations

from rankproof.reading.check_subject import Subject
from rankproof.reading.checks._against import known_queries
from rankproof.reading.checks.contract import FEW, NOTHING, Check, CheckResult, Spot, found
from rankproof.reading.finding import quote


def look(subject: Subject) -> CheckResult:
    """One spot per known query without a row."""
    known = known_queries(subject)
    if known is None:
        return NOTHING
    answered = set(subject.query_ids)
    missing = [query_id for query_id in known if query_id not in answered]
    return found(
        (
            Spot(
                f"query {quote(query_id)} of the {known[query_id]} is missing from the run and counts as an "
                "empty ranking.",
                query_id=query_id,
            )
            for query_id in missing[:FEW]
        ),
        len(missing),
    )


OFFERS = (
    Check(
        name="missing_query",
        page=__doc__,
        of=("run",),
        severity="warning",
        look=look,
        remedy="Run the system on it; if it found nothing, the empty ranking is right.",
    ),
)
