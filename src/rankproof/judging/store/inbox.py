"""What waits for a reviewer, asked of the database: flags, cannot-tells, disagreements, models against people, misses.

The database names the pairs on which anything may be amiss; only their acts are read, and which of them hold is
decided where it always is (acts.py). So a list costs what is amiss, not what was judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import and_, func, or_, select

from rankproof.judging.records import SETTLING, Judgment
from rankproof.judging.store import tables
from rankproof.judging.store.acts import ActRow, JudgmentTable, MarkTable

InboxKind = Literal["flag", "cannot_tell", "disagreement", "model", "gold"]
INBOX_KINDS: tuple[InboxKind, ...] = ("flag", "cannot_tell", "disagreement", "model", "gold")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One thing to look at.

    act     the key of the act that it is about; of a disagreement the newest
    judge   who flagged, could not tell, or missed; empty for a disagreement, which several have
    grade   the judge's; of a disagreement the least
    other   what stands against it: the greatest grade, the people's nearest one, the known one
    reason  of a flag; `note` is the judge's
    settled somebody has settled the pair
    """

    kind: InboxKind
    act: str
    time: str
    judge: str
    query_id: str
    doc_id: str
    grade: int | None = None
    other: int | None = None
    reason: str = ""
    note: str = ""
    settled: bool = False


class InboxTable(JudgmentTable):
    """Everything that waits in a project, and what of it was settled."""

    def rows(self, slug: str, kinds: Sequence[InboxKind] = INBOX_KINDS, pair: Pair | None = None) -> list[InboxRow]:
        """The rows of these kinds, of one pair or of all, the newest first."""
        wanted = frozenset(kinds)
        found = list(self._flags(slug, pair)) if "flag" in wanted else []
        if wanted - {"flag"}:
            found += [row for row in self._amiss(slug, pair) if row.kind in wanted]
        found.sort(key=lambda row: (row.kind, row.judge, row.query_id, row.doc_id))
        found.sort(key=lambda row: row.time, reverse=True)
        return found

    def _flags(self, slug: str, pair: Pair | None) -> Iterator[InboxRow]:
        marks = MarkTable(self._database, self._known)
        for act in marks.current(slug, kind="flag", query_id=None if pair is None else pair[0]):
            if pair is None or act.doc_id == pair[1]:
                yield InboxRow(
                    "flag", act.key, act.time, act.judge, act.query_id, act.doc_id, None, None, act.reason, act.note
                )

    def _amiss(self, slug: str, pair: Pair | None) -> Iterator[InboxRow]:
        rows, gold = self._doubtful(slug, pair), self._known_grades(slug)
        settled = {(act.query_id, act.doc_id) for act in self._holding(rows) if act.source == SETTLING}
        by_pair: dict[Pair, list[Judgment]] = {}
        for act in self._holding([row for row in rows if (row.source, row.version) != _SETTLES]):
            by_pair.setdefault((act.query_id, act.doc_id), []).append(act)
        for here, acts in by_pair.items():
            yield from _of_pair(acts, gold.get(here), here in settled)

    def _doubtful(self, slug: str, pair: Pair | None) -> Sequence[ActRow]:
        """Every act about pairs on which anything may be amiss, in the order it was given."""
        table, c, here = tables.judgments, tables.judgments.c, self._known.require(slug)
        statement = select(table).where(c.project == here).order_by(c.id)
        if pair is not None:
            statement = statement.where(c.query_id == pair[0], c.doc_id == pair[1])
        else:
            g = tables.gold.c
            split = or_(func.min(c.grade) != func.max(c.grade), func.count(func.nullif(c.reason, "")) > 0)
            doubted = select(c.query_id, c.doc_id).where(c.project == here).group_by(c.query_id, c.doc_id).having(split)
            pairs = doubted.union(select(g.query_id, g.doc_id).where(g.project == here)).subquery("pairs")
            statement = statement.join(pairs, and_(pairs.c.query_id == c.query_id, pairs.c.doc_id == c.doc_id))
        with self._database.reading() as connection:
            return connection.execute(statement).all()

    def _known_grades(self, slug: str) -> dict[Pair, int]:
        g = tables.gold.c
        statement = select(g.query_id, g.doc_id, g.grade, g.withdrawn).where(g.project == slug).order_by(g.id)
        with self._database.reading() as connection:
            rows = connection.execute(statement).all()
        newest = {(row.query_id, row.doc_id): None if row.withdrawn else row.grade for row in rows}
        return {pair: grade for pair, grade in newest.items() if grade is not None}


_SETTLES = (SETTLING.kind, SETTLING.version)


def _of_pair(acts: Sequence[Judgment], known: int | None, settled: bool) -> Iterator[InboxRow]:
    """What is amiss with one pair, from what each judge said alone."""

    def row(kind: InboxKind, act: Judgment, grade: int | None = None, other: int | None = None) -> InboxRow:
        judge, note = ("", "") if kind == "disagreement" else (act.judge, act.note)
        return InboxRow(
            kind, act.key, act.time, judge, act.query_id, act.doc_id, grade, other, note=note, settled=settled
        )

    people = [act for act in acts if act.source.kind == "person"]
    grades = [act.grade for act in people if act.grade is not None]
    for act in people:
        if act.reason == "cannot_tell":
            yield row("cannot_tell", act)
        elif known is not None and act.grade is not None and act.grade != known:
            yield row("gold", act, act.grade, known)
    if not grades:
        return
    least, greatest = min(grades), max(grades)
    if least != greatest:
        yield row("disagreement", people[-1], least, greatest)
    for act in acts:
        if act.source.kind == "model" and act.grade is not None and not least <= act.grade <= greatest:
            yield row("model", act, act.grade, least if act.grade < least else greatest)
