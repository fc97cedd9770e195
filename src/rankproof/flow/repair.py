"""Repair: a run put right where that takes no guess, with a list of what was done; refused where it would."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof import shelf
from rankproof.checks._contract import FEW, Found, found, spot
from rankproof.checks._subject import ABSENT, Subject
from rankproof.errors import Refused
from rankproof.flow import mending
from rankproof.flow.check import checks_of, judge
from rankproof.records.change import Change
from rankproof.records.finding import Finding, Unit
from rankproof.records.order import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.core._core import Rows

# Faults that only the maker of the run can put right: the file does not say what was meant.
BEYOND_REPAIR = frozenset(
    {"empty", "wrong_columns", "undecodable_bytes", "not_a_number", "nan_score", "infinite_score"}
)

SAY_WHICH = "Say which is meant: --order score, --order rank, or --lower-is-better for distances."


def repair(
    rows: Rows,
    source_name: str,
    *,
    order: Order | None = None,
    tag: str | None = None,
    max_depth: int | None = None,
    shape: str = "",
    again: Callable[[], Rows] | None = None,
    unit: Unit = "line",
) -> tuple[Rows, tuple[Change, ...]]:
    """The run with one row per document, sorted, ranked from 1, and each change that this took.

    Among equal scores the old ranks keep their say, so that no order the file gave is lost. `order` says what
    puts documents in order where ranks and scores disagree; None means that nobody said, and then a
    disagreement is refused. `tag` is given to all rows and `max_depth` cuts each ranking, when given. In what
    comes back a higher score is better, whatever it was before. Raises Refused where it would be a guess.
    """
    meant = _meant(rows, order)
    subject = Subject(rows, "run", source_name, order=meant, shape=shape, again=again, unit=unit)
    unclear = BEYOND_REPAIR if tag is not None else BEYOND_REPAIR | {"mixed_tags"}
    _refuse((*_found(subject, unclear), *_doubtful_duplicates(subject)))
    # Duplicates go first: the rank of a second row is not to speak against the scores.
    kept, removed = mending.without_duplicates(subject)
    single = Subject(kept, "run", source_name, order=meant, unit=unit)
    if meant.by == "rank":
        _refuse(_found(single, {"bad_rank", "duplicate_rank"}))
    elif order is None:
        _refuse([replace(f, remedy=SAY_WHICH) for f in _found(single, {"rank_disagrees"})])
    work = mending.Work(single)
    work.put_in_order()
    if max_depth is not None:
        work.cut(max_depth)
    work.count_ranks()
    work.set_scores()
    if tag is not None:
        work.set_tag(tag)
    return work.result(), (*_dropped(subject), *removed, *work.changes)


def _meant(rows: Rows, order: Order | None) -> Order:
    """The order meant: a run without scores is in the order of its ranks, or of its lines."""
    if order is not None and order.by != "score":
        return order
    if len(rows) and bool((rows.state == ABSENT).all()):
        return Order(by="rank" if bool((rows.rank != -1).any()) else "given")
    return order or DEFAULT_ORDER


def _found(subject: Subject, codes: Set[str]) -> tuple[Finding, ...]:
    """What the checks of these codes find; all of it is in the way, so all of it is an error."""
    return judge(subject, [check for check in checks_of("run") if check.name in codes], allow=(), strict=True)


def _refuse(findings: Sequence[Finding]) -> None:
    if findings:
        more = sum(1 + finding.further for finding in findings) - 1
        rest = f" {more:,} more such {'place' if more == 1 else 'places'}." if more else ""
        raise Refused(f"{replace(findings[0], further=0)} A repair would be a guess.{rest}", findings)


def _doubtful_duplicates(subject: Subject) -> tuple[Finding, ...]:
    """Documents ranked twice with different scores, or in a run whose order the scores do not decide."""
    again, first = subject.rows.duplicates()
    if subject.ranked_by_score:
        differ = subject.rows.number[again] != subject.rows.number[first]
        again, first = again[differ], first[differ]
    what = "scores" if subject.ranked_by_score else "places"

    def say(row: int, earlier: int) -> str:
        return (
            f"document {subject.doc_name(row)} is already ranked for query {subject.query_name(row)}"
            f"{subject.on_line(earlier)}, and the two {what} differ."
        )

    def look(subject: Subject) -> Found:
        pairs = zip(again[:FEW].tolist(), first[:FEW].tolist(), strict=True)
        return found((spot(subject, row, say(row, earlier)) for row, earlier in pairs), len(again))

    findings: tuple[Finding, ...] = replace(shelf.find("checks", "duplicate_document"), look=look).findings(subject)
    return findings


def _dropped(subject: Subject) -> list[Change]:
    """Columns after the last one were never read: saying so is all there is to do."""
    lines = shelf.find("checks", "extra_columns").look(subject).count
    if not lines:
        return []
    where = "1 line" if lines == 1 else f"{lines:,} lines"
    return [Change("extra_columns", f"what followed the last column was dropped on {where}")]
