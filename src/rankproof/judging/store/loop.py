"""The loop in the store: closed rounds, resolved items of the inbox, and models that judge in the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, func, insert, select, update

from rankproof.errors import InputError, UnknownName
from rankproof.judging.store import tables
from rankproof.judging.store.acts import ActRow
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import fitting, moment, now, shown


@dataclass(frozen=True, slots=True)
class Closing:
    """A round was closed, or opened again."""

    closed: bool
    by: str
    time: str
    note: str = ""


class Closings:
    """Which rounds are closed. The newest row of a project holds; of none, its round is open."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add(self, slug: str, closed: bool, by: str, note: str = "") -> bool:
        """Closes a round or opens it again; False, and nothing is added, where it is so already."""
        row = fitting(tables.closings)(
            {"project": self._known.require(slug), "closed": closed, "note": note, "by": by, "time": now()}
        )

        def work(connection: Connection) -> bool:
            if self._is_closed(connection, slug) == closed:
                return False
            connection.execute(insert(tables.closings).inline(), row)
            return True

        return self._database.write(work)

    def history(self, slug: str) -> list[Closing]:
        """Every row, the oldest first."""
        c = tables.closings.c
        statement = select(c.closed, c.by, c.time, c.note).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            return [Closing(*row) for row in connection.execute(statement)]

    @staticmethod
    def _is_closed(connection: Connection, slug: str) -> bool:
        c = tables.closings.c
        newest = select(c.closed).where(c.project == slug).order_by(c.id.desc()).limit(1)
        return bool(connection.execute(newest).scalar())


ResolutionAct = Literal["settled", "dismissed", "reopened"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of an item of the inbox. `item` is the hash that names it; the newest word about one holds."""

    key: str
    item: str
    kind: str
    query_id: str
    doc_id: str
    act: ResolutionAct
    by: str
    note: str = ""
    time: str = ""


class Resolutions:
    """What became of items, added only."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._once = add_once(tables.resolutions, database)

    def add(self, slug: str, one: Resolution) -> bool:
        """Adds a word about an item; False where its key was there already.

        Refused where somebody else has resolved it already, or where nobody has and it is to be opened again.
        """
        row = fitting(tables.resolutions)(
            {
                "key": one.key,
                "project": self._known.require(slug),
                "item": one.item,
                "kind": one.kind,
                "query_id": one.query_id,
                "doc_id": one.doc_id,
                "act": one.act,
                "note": one.note,
                "by": one.by,
                "time": moment(one.time),
            }
        )

        def work(connection: Connection) -> bool:
            c = tables.resolutions.c
            there = connection.execute(select(tables.resolutions).where(c.key == one.key)).mappings().first()
            if there is not None:
                if any(there[name] != row[name] for name in ("project", "item", "act", "note", "by")):
                    raise InputError(f"The key {one.key!r} names another act already. Make a new key for every act.")
                return False
            newest = select(c.act, c.by).where(c.project == slug, c.item == one.item).order_by(c.id.desc()).limit(1)
            before = connection.execute(newest).first()
            is_resolved = before is not None and before.act != "reopened"
            if before is not None and is_resolved and one.act != "reopened":
                raise InputError(f"{before.by} has {before.act} this already. Open it again first.")
            if not is_resolved and one.act == "reopened":
                raise InputError("Nobody has resolved this, so there is nothing to open again.")
            return connection.execute(self._once, row).rowcount == 1

        return self._database.write(work)

    def holding(self, slug: str) -> dict[str, Resolution]:
        """What holds now, by item; those that were opened again are left out."""
        return {item: one for item, one in self._newest(slug).items() if one.act != "reopened"}

    def of(self, slug: str, item: str) -> list[Resolution]:
        """Every word about an item, the oldest first."""
        return self._rows(slug, item)

    def newest(self) -> int:
        """The number of the last row of all projects; 0 where there is none. While it stays, nothing has changed."""
        with self._database.reading() as connection:
            return connection.execute(select(func.max(tables.resolutions.c.id))).scalar() or 0

    def _newest(self, slug: str) -> dict[str, Resolution]:
        return {one.item: one for one in self._rows(slug)}

    def _rows(self, slug: str, item: str | None = None) -> list[Resolution]:
        c = tables.resolutions.c
        statement = select(c.key, c.item, c.kind, c.query_id, c.doc_id, c.act, c.by, c.note, c.time).where(
            c.project == self._known.require(slug)
        )
        if item is not None:
            statement = statement.where(c.item == item)
        with self._database.reading() as connection:
            return [Resolution(*row) for row in connection.execute(statement.order_by(c.id))]


JobState = Literal["running", "done", "stopped", "failed", "interrupted"]
# A running job says so again within a second or two. One that has not for this long has no server any more.
SILENT = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Job:
    """A model that judges, or has judged, in the background.

    state     "interrupted": its server went away before it was through
    stopping  somebody asked it to stop
    settings  what was asked for, as it was sent
    done      questions that are through, of `total`
    detail    the outcome, or why it failed
    seen      when it last said that it was alive
    """

    number: int
    state: JobState
    stopping: bool
    settings: Mapping[str, object]
    done: int
    total: int
    detail: Mapping[str, object]
    by: str
    time: str
    seen: str


class Jobs:
    """The jobs of every project; at most one of each runs, whichever server it runs in."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def start(self, slug: str, settings: Mapping[str, object], by: str) -> int:
        """The number of a new job that runs; an error where one runs already. One whose server is gone makes room."""
        here, at = self._known.require(slug), now()
        row = fitting(tables.jobs)(
            {
                "project": here,
                "running": here,
                "state": "running",
                "stopping": False,
                "settings": dict(settings),
                "done": 0,
                "total": 0,
                "detail": {},
                "by": by,
                "time": at,
                "seen": at,
            }
        )
        once = add_once(tables.jobs, self._database)
        c = tables.jobs.c

        def work(connection: Connection) -> int:
            silent = update(tables.jobs).where(c.running == here, c.seen <= _silent(at))
            connection.execute(silent.values(state="interrupted", running=None))
            if connection.execute(once, row).rowcount != 1:
                raise InputError("A model is judging this project already. Stop it first, or wait until it is done.")
            return int(connection.execute(select(func.max(c.id)).where(c.running == here)).scalar_one())

        return self._database.write(work)

    def tell(self, number: int, done: int, total: int) -> bool:
        """Keeps how far a job is and that it is alive; whether it may go on."""
        c = tables.jobs.c

        def work(connection: Connection) -> bool:
            mine = update(tables.jobs).where(c.id == number, c.state == "running")
            alive = connection.execute(mine.values(done=done, total=total, seen=now())).rowcount == 1
            return alive and not connection.execute(select(c.stopping).where(c.id == number)).scalar_one()

        return self._database.write(work)

    def end(self, number: int, state: JobState, detail: Mapping[str, object]) -> None:
        """A job is over; nothing changes where another server has taken it for interrupted."""
        c = tables.jobs.c
        told = {name: shown(value) if isinstance(value, str) else value for name, value in detail.items()}
        mine = update(tables.jobs).where(c.id == number, c.state == "running")
        self._database.run(mine.values(state=state, running=None, detail=told, seen=now()))

    def stop(self, slug: str) -> bool:
        """Asks the running job of a project to stop; False where none runs."""
        c = tables.jobs.c
        running = update(tables.jobs).where(c.running == self._known.require(slug), c.seen > _silent(now()))
        return self._database.run(running.values(stopping=True)) == 1

    def newest(self, slug: str) -> Job | None:
        """The last job of a project; None where there was none."""
        return next(iter(self.all(slug, 1)), None)

    def all(self, slug: str, most: int = 20) -> Sequence[Job]:
        """The last jobs of a project, the newest first."""
        c = tables.jobs.c
        statement = select(tables.jobs).where(c.project == self._known.require(slug)).order_by(c.id.desc()).limit(most)
        with self._database.reading() as connection:
            return [_job(row) for row in connection.execute(statement)]

    def get(self, slug: str, number: int) -> Job:
        """One job of a project."""
        c = tables.jobs.c
        statement = select(tables.jobs).where(c.project == self._known.require(slug), c.id == number)
        with self._database.reading() as connection:
            row = connection.execute(statement).first()
        if row is None:
            raise UnknownName("job", str(number), [str(job.number) for job in self.all(slug)] or ["none yet"])
        return _job(row)


def _job(row: ActRow) -> Job:
    gone = row.state == "running" and row.seen <= _silent(now())
    return Job(
        row.id, "interrupted" if gone else row.state, row.stopping, row.settings, row.done, row.total, row.detail,
        row.by, row.time, row.seen,
    )  # fmt: skip


def _silent(at: str) -> str:
    """Who was last seen by then is gone."""
    return moment((datetime.fromisoformat(at) - SILENT).isoformat())
