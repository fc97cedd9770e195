"""Findings in pieces: the findings of the checks for a whole run, from those for its pieces.

Some checks look at one row, some at a whole query, some at the run. Of the first the findings of all pieces are put
together; of the second those of the pieces in which no query is cut, and of the rows of cut queries brought together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankproof.core import Rows
from rankproof.errors import Refused
from rankproof.kernel import shelf
from rankproof.measuring.outofcore.columns import of_queries, put_aside, taken
from rankproof.measuring.outofcore.join import files_for
from rankproof.measuring.outofcore.pieces import Pieces
from rankproof.reading.check import check_run, refusal
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import FEW
from rankproof.reading.finding import SEVERITIES, Finding, Unit
from rankproof.reading.records import Order

if TYPE_CHECKING:
    from rankproof.measuring.prepare import PreparedQrels

OF_QUERIES = ("duplicate_document",)
OF_RUNS = ("empty", "no_common_query", "no_common_document")


@dataclass(frozen=True, slots=True)
class Faulty:
    """The name of a run in messages, and how its rows are read."""

    source: str
    order: Order
    shape: str = ""
    unit: Unit = "line"

    def subject(self, rows: Rows) -> Subject:
        """Rows of the run, as checks look at them."""
        return Subject(rows, "run", self.source, order=self.order, shape=self.shape, unit=self.unit)


def findings_of(
    rows: Rows, faulty: Faulty, only: Sequence[str] | None = None, without: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """The errors that our own checks find in rows: all checks, or some, or all but some."""
    subject = faulty.subject(rows)
    ours = (check for check in shelf.offered("checks").values() if "run" in check.of)
    chosen = [c for c in ours if c.name not in without and (only is None or c.name in only)]
    return tuple(
        finding for check in chosen if check.severity_for(subject) == "error" for finding in check.findings(subject)
    )


def refuse_findings(
    findings: Sequence[Finding], rows: int, unread: int, unjudged: Sequence[str], faulty: Faulty, qrels: PreparedQrels
) -> None:
    """Raises what `reading.check.refuse` would raise for the whole run, when a check finds an error in a piece of it.

    rows, unread   how many rows the run has, and how many lines became none
    unjudged       the run's queries in order of first appearance, where none of them is judged; else nothing
    """
    errors = in_order(findings if rows else (*findings, *_nothing(faulty, unread)))
    if errors:
        raise Refused(refusal(errors, "run"), errors)
    if unjudged:
        read = Rows.from_columns(list(unjudged), list(unjudged))
        every = check_run(read, faulty.source, qrels=qrels.rows(), order=faulty.order, unit=faulty.unit)
        grave = [finding for finding in every if finding.code == "no_common_query"]
        raise Refused(refusal(grave, "run"), grave)


def refuse_pieces(
    pieces: Pieces,
    faulty: Faulty,
    qrels: PreparedQrels,
    scattered: frozenset[str],
    unjudged: Sequence[str],
    budget: int,
) -> None:
    """The same for a run that can be read again piece by piece; `scattered` queries stand in several pieces."""
    findings: list[Finding] = []
    seen = unread = size = 0
    for piece in pieces.read(numbered=True):
        rows = piece.rows()
        findings += findings_of(rows, faulty, without=(*OF_QUERIES, *OF_RUNS))
        findings += findings_of(taken(rows, ~of_queries(rows, scattered)) if scattered else rows, faulty, OF_QUERIES)
        seen, unread, size = seen + len(rows), unread + rows.fault_count, size + len(piece)
    if scattered:
        with put_aside(files_for(size, budget)) as aside:
            for piece in pieces.read(numbered=True):
                rows = piece.rows()
                aside.add(taken(rows, of_queries(rows, scattered)))
            for rows in aside:
                findings += findings_of(rows, faulty, OF_QUERIES)
    refuse_findings(findings, seen, unread, unjudged, faulty, qrels)


def _nothing(faulty: Faulty, unread: int) -> tuple[Finding, ...]:
    """The finding of a run without rows, of which `unread` lines could not be read."""
    line = b"x\n" * min(unread, 1)
    rows = Rows.from_text(line, separator="\t", query=0, doc=1, least=2)
    (finding,) = shelf.offered("checks")["empty"].findings(faulty.subject(rows))
    if unread > 1:
        finding = replace(finding, message=f"none of its {unread:,} lines could be read as a row.")
    return (finding,)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings as a check of the whole run would give them: the first few of each code, the rest counted."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    groups = []
    for code, all_of_it in by_code.items():
        shown = sorted(all_of_it, key=_place)[:FEW]
        more = sum(1 + finding.further for finding in all_of_it) - len(shown)
        group = [replace(finding, further=0) for finding in shown]
        group[-1] = replace(group[-1], further=more)
        groups.append((SEVERITIES.index(group[0].severity), _place(group[0]), code, group))
    groups.sort(key=lambda entry: entry[:3])
    return tuple(finding for *_, group in groups for finding in group)


def _place(finding: Finding) -> float:
    return float("inf") if finding.line is None else float(finding.line)
