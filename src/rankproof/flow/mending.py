"""The steps of a repair, each of which lists what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.checks._subject import Subject
from rankproof.checks._words import count, quote
from rankproof.records.change import Change

if TYPE_CHECKING:
    from rankproof.core._core import Rows


def without_duplicates(subject: Subject) -> tuple[Rows, list[Change]]:
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
        changes.append(Change("removed", text, *at, unit=subject.unit))
    return rows.take(np.setdiff1d(np.arange(len(rows), dtype=np.int64), row[~begins])), changes


class Work:
    """A run on the bench: which rows are left, in what order, their new columns, the changes so far."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.order = subject.order
        self.names = subject.query_ids
        self.turn: NDArray[np.int64] = np.arange(len(subject), dtype=np.int64)
        self.changes: list[Change] = []
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
        # Not the evaluation's rule for ties: that one needs no file in its order, and would undo the ranks'.
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
            what = f"{count(int(lost[q]), 'row')} of query {quote(self.names[q])} below rank {depth:,} removed"
            self._did("cut", what, q)
        self.turn = self.turn[~beyond]

    # ---- their columns -------------------------------------------------------------------------

    def count_ranks(self) -> None:
        """Ranks from 1 in each query, whatever they were."""
        rank = self.subject.rows.rank[self.turn]
        if not bool((rank != -1).any()):
            self.changes.append(Change("ranks", "ranks added from the order of the documents"))
            return
        wrong = np.bincount(self.query[rank != self.place], minlength=len(self.names))
        for q in np.flatnonzero(wrong).tolist():
            self._did("ranks", f"{count(int(wrong[q]), 'rank')} of query {quote(self.names[q])} rewritten", q)

    def set_scores(self) -> None:
        """Scores under which a higher one is better and the order is the one meant."""
        if self.number is None:
            return
        if self.order.by != "score":
            self._count_scores(self.number)
        elif self.order.lower_is_better and bool((self.number != 0).any()):
            # 0 - x and not -x: a distance of 0 is not to become a score of -0.
            self.number = 0 - self.number
            self.changes.append(Change("scores", "signs of the scores turned, so that a higher score is better"))

    def _count_scores(self, number: NDArray[np.float64]) -> None:
        """Ranks or lines are meant: scores that say otherwise give way to n for the first, 1 for the last."""
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
            self.changes.append(Change("tag", f"tag {quote(tag)} given to {count(other, 'row')}"))
        self.tags = [tag] * len(self.subject)

    # ---- the run as it is now ------------------------------------------------------------------

    def result(self) -> Rows:
        """The rows that are left, in order, with the columns as they are now and the lines they came from."""
        from rankproof.core._core import Rows

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
        self.changes.append(Change(kind, message, query_id=self.names[query]))
