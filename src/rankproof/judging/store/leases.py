"""Leases in the store: which judge has which pair in hand, and until when, for all processes that serve the store.

A pair is given to a judge by `take`, in one transaction that looks at the grades and the leases of others: writes go
one after the other in both databases, so that no pair is given to more people than want it. A lease ends when its judge
says something about the pair or gives it back, or when its time is over; nobody needs to be alive for that.
Times are seconds of the clock of whoever asks: processes on several machines need clocks that agree within seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, delete, func, insert, select

from rankproof.judging.store import tables
from rankproof.judging.store.acts import ActRow, JudgmentTable
from rankproof.judging.store.database import Database
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import Row, fitting

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Lease:
    """A pair in the hand of a judge until a moment, in seconds; 0 where it was given back."""

    judge: str
    query_id: str
    doc_id: str
    until: float

    @property
    def pair(self) -> Pair:
        """The query and the document."""
        return self.query_id, self.doc_id


class Leases:
    """The leases of every project."""

    def __init__(self, database: Database, known: KnownProjects, judgments: JudgmentTable) -> None:
        self._database, self._known, self._judgments = database, known, judgments

    def take(
        self,
        slug: str,
        judge: str,
        pairs: Mapping[Pair, int],
        now: float,
        until: float,
        back: Collection[Pair] = (),
    ) -> set[Pair]:
        """Gives pairs to a judge until a moment; those that are refused.

        pairs  each with how many people are to grade it; 0 where that is no limit
        back   pairs that the judge gives back
        """
        self._known.require(slug)
        return self._database.write(
            partial(self._take, slug=slug, judge=judge, pairs=dict(pairs), now=now, until=until, back=tuple(back))
        )

    def news(self, slug: str, after: int = 0) -> tuple[list[Lease], int]:
        """Every lease that was given, renewed or given back after a number, in that order; the number to ask from."""
        c = tables.leases.c
        statement = select(c.project, c.judge, c.query_id, c.doc_id, c.until, c.id).where(c.id > after).order_by(c.id)
        with self._database.reading() as connection:
            rows = connection.execute(statement).all()
        leases = [Lease(*row[1:5]) for row in rows if row.project == slug]
        return leases, rows[-1].id if rows else after

    def _take(
        self,
        connection: Connection,
        slug: str,
        judge: str,
        pairs: Mapping[Pair, int],
        now: float,
        until: float,
        back: Sequence[Pair],
    ) -> set[Pair]:
        limited = {pair: wanted for pair, wanted in pairs.items() if wanted}
        refused = self._refused(connection, slug, judge, limited, now) if limited else set()
        last = connection.execute(select(func.max(tables.judgments.c.id))).scalar() or 0
        row: Row = {"project": slug, "judge": judge, "after": last}
        rows = [row | {"query_id": q, "doc_id": d, "until": until} for q, d in pairs if (q, d) not in refused]
        rows += [
            row | {"query_id": q, "doc_id": d, "until": 0.0} for q, d in {*back, *refused} - (pairs.keys() - refused)
        ]
        if rows:
            fit, c = fitting(tables.leases), tables.leases.c
            mine = [old for old in self._of(connection, slug, {*pairs, *back}) if old.judge == judge]
            # Another row and not a changed one: its number tells other processes that something is new.
            number = connection.execute(select(func.max(c.id))).scalar() or 0
            numbered = [fit(new) | {"id": number + i} for i, new in enumerate(rows, 1)]
            if mine:
                connection.execute(delete(tables.leases).where(c.id.in_([old.id for old in mine])))
            # What is over is of no use to anybody; the newest row stays, so that numbers never come again.
            connection.execute(
                delete(tables.leases).where(c.project == slug, c.until <= now - (until - now), c.id < number)
            )
            connection.execute(insert(tables.leases), numbered)
        return refused

    def _refused(
        self, connection: Connection, slug: str, judge: str, pairs: Mapping[Pair, int], now: float
    ) -> set[Pair]:
        """The pairs that have their grades, or will have them by those who have them in hand, or that are settled."""
        graded: dict[Pair, set[str]] = {}
        settled: set[Pair] = set()
        acts, spoken = self._judgments.about_pairs(connection, slug, pairs)
        for act in acts:
            pair = (act.query_id, act.doc_id)
            if act.settles:
                settled.add(pair)
            elif act.source.kind == "person" and act.grade is not None:
                graded.setdefault(pair, set()).add(act.judge)
        for lease in self._of(connection, slug, pairs):
            pair = (lease.query_id, lease.doc_id)
            if lease.until > now and spoken.get((lease.judge, *pair), 0) <= lease.after:
                graded.setdefault(pair, set()).add(lease.judge)
        return {
            pair
            for pair, wanted in pairs.items()
            if pair in settled or len(graded.get(pair, set()) - {judge}) >= wanted
        }

    @staticmethod
    def _of(connection: Connection, slug: str, pairs: Collection[Pair]) -> list[ActRow]:
        """The rows about pairs."""
        c = tables.leases.c
        statement = select(tables.leases).where(
            c.project == slug, c.query_id.in_({q for q, _ in pairs}), c.doc_id.in_({d for _, d in pairs})
        )
        return [row for row in connection.execute(statement).all() if (row.query_id, row.doc_id) in pairs]
