"""Audit of a report: can these values be true together?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.flow.audit.claims import Asked
from rankproof.flow.audit.many import audit_means
from rankproof.flow.audit.one import audit_one
from rankproof.flow.audit.pools import pools
from rankproof.records.audit import ReportAudit


def audit_report(
    asked: Sequence[Asked], *, relevant: str | None = None, grades: Sequence[str] = (), queries: int = 1
) -> ReportAudit:
    """Whether the claims can hold for one query, or as means over several.

    relevant   how many relevant documents a query has: `5`, or a range such as `1-8`
    grades     instead of it: grades of the relevant documents, such as `3,2,1`; several for several kinds of queries
    """
    if queries < 1:
        raise UsageError(f"A report is on 1 query or more; got {queries}.")
    found = pools(asked, relevant, grades)
    audit = audit_one(asked, found) if queries == 1 else audit_means(asked, found, queries)
    return replace(audit, notes=(*audit.notes, *_granted(asked, queries)))


def _granted(asked: Sequence[Asked], queries: int) -> list[str]:
    """What the answer takes for granted."""
    notes = ["values are taken as rounded to the digits shown"]
    if queries > 1:
        notes.append("means are over all queries; one where a measure is undefined counts as 0")
    if any(claim.variant.measure.name in ("ERR", "nERR") for claim in asked):
        notes.append("the top grade of the scale is the greatest grade given")
    return notes
