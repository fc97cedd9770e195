"""Acts of judges, added and never changed; and which of them are in force.

The newest act about something holds, unless it was withdrawn; then the one before it holds again. A withdrawal is an
act of its own. Newest is what has the greatest number: both databases number acts in the order of commits, whatever
time an act brings along. This is decided in `_holding` and nowhere else; whoever reads on keeps the order from here.
A judge's word that settles a pair is about something else than the same judge's own judgment of it: neither replaces
the other, and each is taken back by an act of its own kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, select
from sqlalchemy import Row as SQLRow

from rankproof.errors import InputError, UsageError
from rankproof.judging.records import (
    PERSON,
    SETTLING,
    SUGGESTED,
    Account,
    Judgment,
    JudgmentSource,
    Mark,
    MarkKind,
    Preference,
)
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, Joint, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import Row, fitting, moment


class Act(Protocol):
    """What all acts have."""

    @property
    def key(self) -> str:
        """Its name: the same key sent twice is one act."""

    @property
    def withdraws(self) -> str:
        """The key of the act that this one takes back."""


A = TypeVar("A", bound=Act)
# A row of the table, with its columns as attributes.
ActRow = SQLRow[Any]
_NOT_ALONE = {(one.kind, one.version) for one in (SETTLING, SUGGESTED)}
_TOGETHER = 500  # acts in one commit
_AT_A_TIME = 50  # acts looked at when the last one is sought


class ActTable(ABC, Generic[A]):
    """The acts of one kind, of every project."""

    table: ClassVar[Table]
    about: ClassVar[tuple[str, ...]]  # columns that a withdrawal shares with what it takes back

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._fit = fitting(self.table)
        self._add = add_once(self.table, database)

    @abstractmethod
    def _row(self, act: A) -> Row:
        """The act as a row, without its project."""

    @abstractmethod
    def _act(self, row: ActRow) -> A:
        """The act in a row."""

    @abstractmethod
    def _about(self, row: ActRow) -> Hashable:
        """What the act is about, and by whom: of acts that agree in this the newest holds."""

    # ---- adding --------------------------------------------------------------------------------

    def add(self, slug: str, act: A) -> bool:
        """Adds an act; False where its key was there already. It is on the disk when this returns."""
        return self._database.write(Joint(self._insert, self._insert_all, self._fitting(slug, act)))

    def add_many(self, slug: str, acts: Sequence[A]) -> int:
        """Adds acts in their order, many in a commit; how many were not there yet."""
        return self._write_all([self._fitting(slug, act) for act in acts], _TOGETHER)

    def take(self, slug: str, acts: Sequence[A]) -> int:
        """Adds acts that were given elsewhere, all in one commit or none; how many were not there yet."""
        rows = [self._fitting(slug, act) for act in acts]
        return self._write_all(rows, max(1, len(rows)))

    def _write_all(self, rows: Sequence[Row], step: int) -> int:
        parts = [rows[i : i + step] for i in range(0, len(rows), step)]
        return sum(sum(self._database.write(partial(self._insert_all, rows=part))) for part in parts)

    def _fitting(self, slug: str, act: A) -> Row:
        if not act.key:
            raise InputError("An act needs a key that names it, such as uuid.uuid4().hex.")
        return self._fit({"project": self._known.require(slug), **self._row(act)})

    def _insert_all(self, connection: Connection, rows: Sequence[Row]) -> list[bool]:
        if self._database.is_sqlite or any(row["withdraws"] for row in rows):
            return [self._insert(connection, row) for row in rows]
        new = set(connection.execute(self._add.returning(self.table.c.key), list(rows)).scalars())
        added: list[bool] = []
        for row in rows:
            added.append(row["key"] in new or self._same(connection, row))
            new.discard(row["key"])  # sent twice in one go: the second one was there already
        return added

    def _insert(self, connection: Connection, row: Row) -> bool:
        if row["withdraws"]:
            self._refuse_withdrawal(connection, row)
        return connection.execute(self._add, row).rowcount == 1 or self._same(connection, row)

    def _same(self, connection: Connection, row: Row) -> bool:
        """False, since the act is there already; an error where its key names another one."""
        there = connection.execute(select(self.table).where(self.table.c.key == row["key"])).mappings().one()
        other = [name for name, value in row.items() if name != "time" and there[name] != value]
        if other:
            raise InputError(
                f"The key {row['key']!r} names another act already, with other {', '.join(other)}. "
                "Make a new key for every act."
            )
        return False

    def _refuse_withdrawal(self, connection: Connection, row: Row) -> None:
        there = connection.execute(select(self.table).where(self.table.c.key == row["withdraws"])).mappings().first()
        if there is None or any(there[name] != row[name] for name in ("project", *self.about)):
            raise InputError(
                f"There is no act {row['withdraws']!r} of {row['judge']!r} about this to take back. "
                "Judges take back their own acts only, each by its key."
            )
        if there["withdraws"]:
            raise InputError(f"The act {row['withdraws']!r} takes another one back. Say it again in place of that.")

    # ---- reading -------------------------------------------------------------------------------

    def _undone_by_last(self) -> Sequence[ColumnElement[bool]]:
        """What else is asked of an act that `last` may give."""
        return ()

    def _rows(self, slug: str, **where: str | None) -> Sequence[ActRow]:
        columns = self.table.c
        statement = select(self.table).where(columns.project == self._known.require(slug)).order_by(columns.id)
        for name, value in where.items():
            if value is not None:
                statement = statement.where(columns[name] == value)
        with self._database.reading() as connection:
            return connection.execute(statement).all()

    def _acts(self, rows: Sequence[ActRow]) -> list[A]:
        return [self._act(row) for row in rows]

    def _holding(self, rows: Sequence[ActRow]) -> list[A]:
        """The acts that hold, in the order they were given."""
        withdrawn = {row.withdraws for row in rows}
        newest = {self._about(row): row for row in rows if not row.withdraws and row.key not in withdrawn}
        return self._acts(sorted(newest.values(), key=lambda row: row.id))

    def news(self, slug: str, after: int = 0) -> tuple[list[A], int]:
        """Every act with a greater number than `after`, in the order it was given, and the number to ask from next.

        Numbers grow in the order of commits, so that none is missed: see `Database`.
        """
        if not after:
            rows = self._rows(slug)
        else:
            # Without the project, so that the database goes by number and not through all acts of the project.
            with self._database.reading() as connection:
                statement = select(self.table).where(self.table.c.id > after).order_by(self.table.c.id)
                rows = connection.execute(statement).all()
        return self._acts([row for row in rows if row.project == slug]), rows[-1].id if rows else after

    def last(self, slug: str, judge: str) -> A | None:
        """The last act of a judge that can still be taken back, which no settling word is; None without one."""
        columns = self.table.c
        statement = select(self.table).where(
            columns.project == self._known.require(slug), columns.judge == judge, *self._undone_by_last()
        )
        withdrawn: set[str] = set()
        before = None
        while True:
            here = statement if before is None else statement.where(columns.id < before)
            with self._database.reading() as connection:
                rows = connection.execute(here.order_by(columns.id.desc()).limit(_AT_A_TIME)).all()
            for row in rows:
                if row.withdraws:
                    withdrawn.add(row.withdraws)
                elif row.key not in withdrawn:
                    return self._act(row)
            if len(rows) < _AT_A_TIME:
                return None
            before = rows[-1].id


def _settles(row: ActRow) -> bool:
    """Whether a row is a word that settles; see `Judgment.settles`."""
    return (row.source, row.version) == (SETTLING.kind, SETTLING.version)


class JudgmentTable(ActTable[Judgment]):
    """Every judgment ever given. About the same pair the newest of each judge holds, and the newest that settles it."""

    table = tables.judgments
    about = ("judge", "query_id", "doc_id")

    def add(self, slug: str, act: Judgment) -> bool:
        """Adds a judgment; False where its key was there already. A word that settles goes by `settle`."""
        self._refuse_other_kind([act])
        return super().add(slug, _no_settling(act))

    def add_many(self, slug: str, acts: Sequence[Judgment]) -> int:
        """Adds judgments in their order, many in a commit; how many were not there yet."""
        self._refuse_other_kind(acts)
        return super().add_many(slug, [_no_settling(act) for act in acts])

    def settle(self, slug: str, act: Judgment, account: Account) -> bool:
        """Adds a word that settles a pair, or takes one back; False where its key was there already.

        Refused unless `account`, who gives it in their own name, is a reviewer or an admin.
        """
        if not act.settles:
            raise UsageError(f"The act {act.key!r} settles nothing: its source is not `SETTLING`. Use `add`.")
        if act.judge != account.name or not account.may("reviewer"):
            raise UsageError(
                f"{account.name!r} is {account.role} here and cannot settle a pair"
                f"{f' in the name of {act.judge!r}' if act.judge != account.name else ''}. Reviewers and admins settle."
            )
        self._refuse_other_kind([act])
        return super().add(slug, act)

    def current(
        self,
        slug: str,
        *,
        judge: str | None = None,
        query_id: str | None = None,
        doc_id: str | None = None,
        source: str | None = None,
        settling: bool = True,
    ) -> list[Judgment]:
        """What holds now, in the order it was given. `source` is person, model or clicks.

        Without `settling` it is what each judge gave alone: before anybody settled a disagreement, and without a
        model's suggestion in view.
        """
        rows = self._rows(slug, judge=judge, query_id=query_id, doc_id=doc_id)
        if not settling:
            rows = [row for row in rows if (row.source, row.version) not in _NOT_ALONE]
        return [held for held in self._holding(rows) if source is None or held.source.kind == source]

    def history(
        self, slug: str, *, judge: str | None = None, query_id: str | None = None, doc_id: str | None = None
    ) -> list[Judgment]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, judge=judge, query_id=query_id, doc_id=doc_id))

    def about_pairs(
        self, connection: Connection, slug: str, pairs: Collection[tuple[str, str]]
    ) -> tuple[list[Judgment], dict[tuple[str, str, str], int]]:
        """What holds about pairs, in a transaction of somebody else; and the last number by judge, query, document."""
        c = tables.judgments.c
        statement = select(self.table).where(
            c.project == slug, c.query_id.in_({q for q, _ in pairs}), c.doc_id.in_({d for _, d in pairs})
        )
        rows = [row for row in connection.execute(statement.order_by(c.id)) if (row.query_id, row.doc_id) in pairs]
        spoken = {(row.judge, row.query_id, row.doc_id): row.id for row in rows if not _settles(row)}
        return self._holding(rows), spoken

    def _row(self, act: Judgment) -> Row:
        source = act.source
        return {
            "key": act.key,
            "judge": act.judge,
            "query_id": act.query_id,
            "doc_id": act.doc_id,
            "grade": act.grade,
            "reason": act.reason,
            "note": act.note,
            "time": moment(act.time),
            "source": source.kind,
            "version": source.version,
            "prompt": source.prompt,
            "settings": source.settings,
            "withdraws": act.withdraws,
        }

    def _act(self, row: ActRow) -> Judgment:
        _, key, _, judge, query, doc, grade, reason, note, time, kind, version, prompt, settings, withdraws = tuple(row)
        plain = kind == "person" and not (version or prompt or settings)
        source = PERSON if plain else JudgmentSource(kind, version, prompt, settings)
        return Judgment(key, judge, query, doc, grade, reason, note, time, source, withdraws)

    def _about(self, row: ActRow) -> Hashable:
        return row.judge, row.query_id, row.doc_id, _settles(row)

    def _undone_by_last(self) -> Sequence[ColumnElement[bool]]:
        c = self.table.c
        return ((c.source != SETTLING.kind) | (c.version != SETTLING.version),)

    def _refuse_other_kind(self, acts: Sequence[Judgment]) -> None:
        """Refuses to take a judgment back by a word that settles, or such a word by a judgment."""
        back = {act.withdraws: act for act in acts if act.withdraws}
        if not back:
            return
        c = tables.judgments.c
        with self._database.reading() as connection:
            rows = connection.execute(select(tables.judgments).where(c.key.in_(back))).all()
        for row in rows:
            if _settles(row) != back[row.key].settles:
                raise InputError(
                    f"The act {row.key!r} {'settles a pair' if _settles(row) else 'settles nothing'}: a judgment and a "
                    "word that settles are taken back each by an act of its own kind."
                )


def _no_settling(act: Judgment) -> Judgment:
    if act.settles:
        raise UsageError(f"The act {act.key!r} settles a pair, which reviewers do: by `settle`, with their account.")
    return act


class MarkTable(ActTable[Mark]):
    """Every flag and pick. About the same result of a variant the newest of each judge and kind holds."""

    table = tables.marks
    about = ("judge", "kind", "query_id", "doc_id", "variant")

    def current(
        self, slug: str, *, kind: MarkKind | None = None, judge: str | None = None, query_id: str | None = None
    ) -> list[Mark]:
        """What holds now, in the order it was given."""
        return self._holding(self._rows(slug, kind=kind, judge=judge, query_id=query_id))

    def history(
        self, slug: str, *, kind: MarkKind | None = None, judge: str | None = None, query_id: str | None = None
    ) -> list[Mark]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, kind=kind, judge=judge, query_id=query_id))

    def _row(self, act: Mark) -> Row:
        return {
            "key": act.key,
            "kind": act.kind,
            "judge": act.judge,
            "query_id": act.query_id,
            "doc_id": act.doc_id,
            "reason": act.reason,
            "note": act.note,
            "variant": act.variant,
            "time": moment(act.time),
            "withdraws": act.withdraws,
        }

    def _act(self, row: ActRow) -> Mark:
        _, key, _, kind, judge, query, doc, reason, note, variant, time, withdraws = tuple(row)
        return Mark(key, kind, judge, query, doc, reason, note, variant, time, withdraws)

    def _about(self, row: ActRow) -> Hashable:
        return row.judge, row.kind, row.query_id, row.doc_id, row.variant


class PreferenceTable(ActTable[Preference]):
    """Every preference. Between the same variants of a query, on whichever sides, the newest of each judge holds."""

    table = tables.preferences
    about = ("judge", "query_id")

    def current(self, slug: str, *, judge: str | None = None, query_id: str | None = None) -> list[Preference]:
        """What holds now, in the order it was given."""
        return self._holding(self._rows(slug, judge=judge, query_id=query_id))

    def history(self, slug: str, *, judge: str | None = None, query_id: str | None = None) -> list[Preference]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, judge=judge, query_id=query_id))

    def _row(self, act: Preference) -> Row:
        return {
            "key": act.key,
            "judge": act.judge,
            "query_id": act.query_id,
            "variants": list(act.variants),
            "preferred": act.preferred,
            "blind": act.blind,
            "note": act.note,
            "time": moment(act.time),
            "withdraws": act.withdraws,
        }

    def _act(self, row: ActRow) -> Preference:
        _, key, _, judge, query, variants, preferred, blind, note, time, withdraws = tuple(row)
        return Preference(key, judge, query, tuple(variants), preferred, blind, note, time, withdraws)

    def _about(self, row: ActRow) -> Hashable:
        return row.judge, row.query_id, tuple(sorted(row.variants))
