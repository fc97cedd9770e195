"""Repair: a run corrected where no guess is needed, with a list of changes; silent normalizations of the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import Refused
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.reading.check import checks_of, judge
from rankproof.reading.check_subject import ABSENT, Subject
from rankproof.reading.checks.contract import FEW, CheckResult, found, spot
from rankproof.reading.finding import Finding, RepairChange, Unit, quote
from rankproof.reading.records import DEFAULT_ORDER, Order
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.core import Rows
    from rankproof.reading.formats.contract import TextLayout


def without_duplicates(subject: Subject) -> tuple[Rows, list[RepairChange]]:
    """One row per document: the best-ranked one, the first where there are no ranks."""
    rows = subject.rows
    again, first = rows.duplicates()
    if not len(again):
        return rows, []
    # All rows of documents that appear twice, grouped by first appearance, the best of each group in front.
    row = np.concatenate((again, np.unique(first)))
    group = np.concatenate((first, np.unique(first)))
    rank = np.where(rows.rank[row] < 0, np.iinfo(np.int64).max, rows.rank[row])
    turn = np.lexsort((row, rank, group))
    row, group = row[turn], group[turn]
    begins = np.concatenate(([True], group[1:] != group[:-1]))
    best = row[begins][np.cumsum(begins) - 1]
    changes = []
    for gone, stays in sorted(zip(row[~begins].tolist(), best[~begins].tolist(), strict=True)):
        name, query = subject.doc_name(gone), subject.query_name(gone)
        text = f"repeated row of document {name} for query {query} removed"
        text += f"; the one{subject.on_line(stays)} stays"
        at = subject.line(gone), subject.query_id(gone), subject.doc_id(gone)
        changes.append(RepairChange("removed", text, *at, unit=subject.unit))
    return rows.take(np.setdiff1d(np.arange(len(rows), dtype=np.int64), row[~begins])), changes


class RepairState:
    """A run under repair: the remaining rows, their order, their new columns, the changes so far."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.order = subject.order
        self.names = subject.query_ids
        self.turn: NDArray[np.int64] = np.arange(len(subject), dtype=np.int64)
        self.changes: list[RepairChange] = []
        labels = subject.rows.labels
        self.tags = [labels[i] if i >= 0 else "" for i in subject.rows.label.tolist()] if labels else None
        self.number = subject.rows.number.copy() if subject.has_scores else None

    # ---- which rows, and in what order ---------------------------------------------------------

    def put_in_order(self) -> None:
        """Rows by query in the order meant; where scores are equal, by old rank, then as given."""
        rows, order = self.subject.rows, self.order
        if order.by == "score" and len(rows) and bool((rows.rank >= 0).all()):
            self.turn = rows.sorted("rank", "given", "float64", False)
            rows = rows.take(self.turn)
        # Not the tie rule of the evaluation: it ignores the order of the file and would undo that of the ranks.
        self.turn = self.turn[rows.sorted(order.by, "given", order.precision, order.lower_is_better)]
        query = self.query
        moved = (np.diff(self.turn) != 1) & (query[1:] == query[:-1])
        for q in np.unique(query[1:][moved]).tolist():
            self._did("reordered", f"rows of query {quote(self.names[q])} put in order", q)

    def cut(self, depth: int) -> None:
        """The first `depth` rows of each query stay."""
        place = np.empty(len(self.subject), dtype=np.int64)
        place[self.turn] = self.place
        if self.order.by == "score":
            # A tie across the cut falls as it does in an evaluation: values down to that depth stay what they were.
            ranked = self.subject.by_score
            place[ranked] = np.arange(1, len(ranked) + 1) - self.subject.start[:-1][self.subject.rows.query[ranked]]
        beyond = place[self.turn] > depth
        lost = np.bincount(self.query[beyond], minlength=len(self.names))
        for q in np.flatnonzero(lost).tolist():
            what = f"{counted(int(lost[q]), 'row')} of query {quote(self.names[q])} below rank {depth:,} removed"
            self._did("cut", what, q)
        self.turn = self.turn[~beyond]

    # ---- their columns -------------------------------------------------------------------------

    def count_ranks(self) -> None:
        """Ranks from 1 in each query, whatever they were."""
        rank = self.subject.rows.rank[self.turn]
        if not bool((rank != -1).any()):
            self.changes.append(RepairChange("ranks", "ranks added from the order of the documents"))
            return
        wrong = np.bincount(self.query[rank != self.place], minlength=len(self.names))
        for q in np.flatnonzero(wrong).tolist():
            self._did("ranks", f"{counted(int(wrong[q]), 'rank')} of query {quote(self.names[q])} rewritten", q)

    def set_scores(self) -> None:
        """Scores under which a higher one is better and the order is the one meant."""
        if self.number is None:
            return
        if self.order.by != "score":
            self._count_scores(self.number)
        elif self.order.lower_is_better and bool((self.number != 0).any()):
            # 0 - x and not -x: a distance of 0 is not to become a score of -0.
            self.number = 0 - self.number
            self.changes.append(RepairChange("scores", "signs of the scores turned, so that a higher score is better"))

    def _count_scores(self, number: NDArray[np.float64]) -> None:
        """Replaces scores that contradict the order of ranks or lines by n for the first down to 1 for the last."""
        query, score = self.query, number[self.turn]
        against = np.unique(query[1:][(query[1:] == query[:-1]) & ~(score[1:] < score[:-1])])
        depth = np.bincount(query, minlength=len(self.names))
        rows = np.isin(query, against)
        number[self.turn[rows]] = (depth[query] + 1 - self.place)[rows]
        meant = "ranks" if self.order.by == "rank" else "lines"
        for q in against.tolist():
            name = quote(self.names[q])
            text = f"scores of query {name} replaced by {int(depth[q])} to 1, in the order of the {meant}"
            self._did("scores", text, q)

    def set_tag(self, tag: str) -> None:
        """One tag for all rows."""
        tags = self.tags or [""] * len(self.subject)
        other = sum(tags[row] != tag for row in self.turn.tolist())
        if other:
            self.changes.append(RepairChange("tag", f"tag {quote(tag)} given to {counted(other, 'row')}"))
        self.tags = [tag] * len(self.subject)

    # ---- the run as it is now ------------------------------------------------------------------

    def result(self) -> Rows:
        """The rows that are left, in order, with the columns as they are now and the lines they came from."""
        from rankproof.core import Rows

        rows, turn, names = self.subject.rows, self.turn, self.names
        return Rows.from_columns(
            [names[q] for q in self.query.tolist()],
            rows.doc_ids(turn),
            None if self.number is None else self.number[turn],
            self.place,
            None if self.tags is None else [self.tags[row] for row in turn.tolist()],
            rows.line[turn],
        )

    @property
    def query(self) -> NDArray[np.int32]:
        """The query of each row that is left."""
        return self.subject.rows.query[self.turn]

    @property
    def place(self) -> NDArray[np.int64]:
        """For each row that is left, its place in its query, from 1. Rows of a query stand together."""
        query = self.query
        begins = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1])))
        first = np.repeat(begins, np.diff(np.append(begins, len(query))))
        return np.arange(1, len(query) + 1, dtype=np.int64) - first

    def _did(self, kind: str, message: str, query: int) -> None:
        self.changes.append(RepairChange(kind, message, query_id=self.names[query]))


# Faults that only the author of the run can correct: the file does not say what was meant.
BEYOND_REPAIR = frozenset(
    {"empty", "wrong_columns", "undecodable_bytes", "not_a_number", "nan_score", "infinite_score"}
)

ORDER_REMEDY = "Say which is meant: --order score, --order rank, or --lower-is-better for distances."


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
) -> tuple[Rows, tuple[RepairChange, ...]]:
    """The run with one row per document, sorted, ranked from 1, and each change that this took.

    Among equal scores the old ranks decide, so that the order in the file is not lost. `order` says what
    puts documents in order where ranks and scores disagree; None means that it was not given, and then a
    disagreement is refused. `tag` is given to all rows and `max_depth` cuts each ranking, when given. In the
    result a higher score is better, whatever it was before. Raises Refused where it would be a guess.
    """
    meant = _meant(rows, order)
    subject = Subject(rows, "run", source_name, order=meant, shape=shape, again=again, unit=unit)
    unclear = BEYOND_REPAIR if tag is not None else BEYOND_REPAIR | {"mixed_tags"}
    _refuse((*_findings_of(subject, unclear), *_doubtful_duplicates(subject)))
    # Duplicates are removed first: the rank of a second row must not contradict the scores.
    unique, removed = without_duplicates(subject)
    single = Subject(unique, "run", source_name, order=meant, unit=unit)
    if meant.by == "rank":
        _refuse(_findings_of(single, {"bad_rank", "duplicate_rank"}))
    elif order is None:
        _refuse([replace(f, remedy=ORDER_REMEDY) for f in _findings_of(single, {"rank_disagrees"})])
    work = RepairState(single)
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


def _findings_of(subject: Subject, codes: Set[str]) -> tuple[Finding, ...]:
    """The findings of the checks with these codes; each of them prevents a repair, so each is an error."""
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

    def look(subject: Subject) -> CheckResult:
        pairs = zip(again[:FEW].tolist(), first[:FEW].tolist(), strict=True)
        return found((spot(subject, row, say(row, earlier)) for row, earlier in pairs), len(again))

    findings: tuple[Finding, ...] = replace(shelf.find("checks", "duplicate_document"), look=look).findings(subject)
    return findings


def _dropped(subject: Subject) -> list[RepairChange]:
    """The change for columns after the last one: they were never read."""
    lines = shelf.find("checks", "extra_columns").look(subject).count
    if not lines:
        return []
    where = "1 line" if lines == 1 else f"{lines:,} lines"
    return [RepairChange("extra_columns", f"what followed the last column was dropped on {where}")]


TAB, NEWLINE, RETURN, BLANK = 9, 10, 13, 32
# Bytes looked at in one go: the columns of flags stay small.
PIECE = 1 << 24


def normalizations(source: Source, layout: TextLayout, rows: Rows) -> list[RepairChange]:
    """One change for each kind of detail that is not written back as it was."""
    lines = returns = uneven = 0
    data = np.frombuffer(source.data, dtype=np.uint8)
    begin = 0
    while begin < len(data):
        piece = _whole_lines(data, begin)
        begin += len(piece)
        ends = np.flatnonzero(piece == NEWLINE)
        lines += len(ends) + (len(piece) > 0 and int(piece[-1]) != NEWLINE)
        returns += int(np.count_nonzero(piece[ends[ends > 0] - 1] == RETURN))
        if layout.separator == " ":
            uneven += _uneven(piece, ends)
    changes = []
    if _has_mark(source):
        changes.append(RepairChange("tidied", "byte order mark removed"))
    if returns:
        changes.append(RepairChange("tidied", f"carriage return at the end of {counted(returns, 'line')} removed"))
    if uneven:
        changes.append(RepairChange("tidied", f"tabs and repeated blanks made one blank on {counted(uneven, 'line')}"))
    silent = lines - layout.skip - len(rows) - rows.fault_count
    if silent > 0:
        changes.append(RepairChange("tidied", f"{counted(silent, 'empty or comment line')} removed"))
    return changes


def _whole_lines(data: NDArray[np.uint8], begin: int) -> NDArray[np.uint8]:
    """The next piece, up to the end of a line; a line longer than a piece is returned whole."""
    size = PIECE
    while True:
        piece = data[begin : begin + size]
        if begin + size >= len(data):
            return piece
        ends = np.flatnonzero(piece == NEWLINE)
        if len(ends):
            return piece[: int(ends[-1]) + 1]
        size *= 2


def _uneven(piece: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
    """Lines with a tab, two blanks together, or a blank at their beginning or end."""
    # A carriage return before a newline is part of the line's end, and counted elsewhere.
    before_end = ends[ends > 0] - 1
    piece = piece.copy()
    piece[before_end[piece[before_end] == RETURN]] = NEWLINE
    # White space as the core knows it, without the newline.
    space = (piece == BLANK) | ((piece >= TAB) & (piece <= RETURN) & (piece != NEWLINE))
    edge = np.concatenate(([NEWLINE], piece[:-1])) == NEWLINE
    last = np.concatenate((piece[1:], [NEWLINE])) == NEWLINE
    before = np.concatenate(([False], space[:-1]))
    at = np.flatnonzero(space & ((piece != BLANK) | edge | last | before))
    # An empty line has no columns to part.
    filled = np.unique(np.searchsorted(ends, np.flatnonzero(~space & (piece != NEWLINE))))
    return len(np.intersect1d(np.unique(np.searchsorted(ends, at)), filled, assume_unique=True))


def _has_mark(source: Source) -> bool:
    return source.path is not None and source.skip > 0
