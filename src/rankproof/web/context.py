"""The context of every page and API answer: store, settings, and caches of what was looked up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import jinja2
from starlette.requests import HTTPConnection

from rankproof.errors import UnknownName
from rankproof.judging.records import Project, Role
from rankproof.judging.store import values as clock
from rankproof.judging.store.store import Store
from rankproof.reports.charts.frame import DARK, LIGHT, declarations
from rankproof.web.problems import Problem
from rankproof.web.rounds import Rounds
from rankproof.web.security.credentials import Passwords
from rankproof.web.security.throttle import Throttle
from rankproof.web.settings import ServeSettings

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store
    from rankproof.web.security.credentials import SignedIn


# Of each kind that are remembered; then all are forgotten, and are looked up again one by one.
MOST_KNOWN = 500_000


class Known:
    """Refuses acts about what is not there, and looks things up once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queries: set[tuple[str, ...]] = set()
        self._documents: set[tuple[str, ...]] = set()
        self._ranked: set[tuple[str, ...]] = set()

    def require_query(self, slug: str, query_id: str) -> None:
        """An error unless the project has the query."""
        if (slug, query_id) in self._queries:
            return
        try:
            self._store.items.query(slug, query_id)
        except UnknownName as error:
            if error.kind != "query":
                raise
            raise Problem(422, str(error)) from None
        self._remember(self._queries, [(slug, query_id)])

    def require_pairs(self, slug: str, pairs: Iterable[tuple[str, str]]) -> None:
        """An error unless each query is there, and each document is there or ranked for its query by a run."""
        wanted = set(pairs)
        for query_id in {query_id for query_id, _ in wanted}:
            self.require_query(slug, query_id)
        unseen = {doc for _, doc in wanted if (slug, doc) not in self._documents}
        if not unseen:
            return
        there = self._store.items.documents(slug, unseen)
        self._remember(self._documents, [(slug, doc) for doc in there])
        for query_id, doc_id in wanted:
            if doc_id in unseen and doc_id not in there:
                self._require_ranked(slug, query_id, doc_id)

    def _require_ranked(self, slug: str, query_id: str, doc_id: str) -> None:
        if (slug, query_id, doc_id) in self._ranked:
            return
        ranked = {doc for docs in self._store.runs.rankings(slug, query_id).values() for doc in docs}
        self._remember(self._ranked, [(slug, query_id, doc) for doc in ranked])
        if doc_id not in ranked:
            raise Problem(422, f"No document is called {doc_id!r}, and no run ranks it for {query_id!r}.")

    @staticmethod
    def _remember(seen: set[tuple[str, ...]], found: Iterable[tuple[str, ...]]) -> None:
        if len(seen) >= MOST_KNOWN:
            seen.clear()
        seen.update(found)


V = TypeVar("V")

# Things that are remembered; then all are forgotten.
MOST_FRESH = 10_000


class Fresh(Generic[V]):
    """Values by key, each good for between half and all of `seconds`: many that came together do not go together.

    While a value that has had its time is looked up, others who ask still get it: they do not all look.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._kept: dict[str, tuple[float, V]] = {}
        self._age = 0

    def get(self, key: str) -> V | None:
        """The value, while it is good."""
        found = self._kept.get(key)
        return found[1] if found is not None and found[0] > self._clock() else None

    def look_up(self, key: str, how: Callable[[], V]) -> V:
        """The value, looked up where it is not good any more; an error is nothing to remember."""
        found, now, age = self._kept.get(key), self._clock(), self._age
        if found is not None and found[0] > now:
            return found[1]
        if found is not None:
            self._keep(key, found[1], now + self._seconds / 4, age)
        try:
            value = how()
        except BaseException:
            self._kept.pop(key, None)
            raise
        self._keep(key, value, now + self._seconds * (0.5 + hash(key) % 1024 / 2048), age)
        return value

    def clear(self) -> None:
        """Forgets everything, and what is being looked up now."""
        self._age += 1
        self._kept.clear()

    def _keep(self, key: str, value: V, until: float, age: int) -> None:
        if age == self._age:  # else it may be from before a change
            if len(self._kept) >= MOST_FRESH:
                self._kept.clear()
            self._kept[key] = (until, value)


# Seconds until a change by another process on the same store is seen here.
AT_MOST_OLD = 2.0


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Desk:
    """The store, the templates and files, the settings, the clock, and what guards the door."""

    store: Store
    settings: ServeSettings
    templates: jinja2.Environment
    assets: Assets
    tabs: tuple[Tab, ...] = ()
    clock: Callable[[], datetime] = _utc
    passwords: Passwords = field(default_factory=Passwords)
    throttle: Throttle = field(default_factory=Throttle)
    known: Known = field(init=False)
    rounds: Rounds = field(init=False)
    sessions: Fresh[SignedIn] = field(default_factory=lambda: Fresh(AT_MOST_OLD))
    projects: Fresh[Project] = field(default_factory=lambda: Fresh(AT_MOST_OLD))

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", Known(self.store))
        object.__setattr__(self, "rounds", Rounds(self.store))

    def now(self) -> str:
        """The time as the store keeps it."""
        return stamp(self.clock())

    def audit(self, account: str, action: str, **detail: str | int | bool | None) -> None:
        """Notes in the audit log who did what."""
        self.store.audit.add(account, action, detail)

    def change_project(self, project: Project, by: str) -> None:
        """Another revision of a project, seen from the next request on."""
        self.store.projects.change(project, by)
        self.projects.clear()


def stamp(moment: datetime) -> str:
    """A moment as the store keeps it: two of them compare as texts as they do as times."""
    return clock.moment(moment.isoformat())


def desk(connection: HTTPConnection) -> Desk:
    """The desk of the application that got this request."""
    found = connection.app.state.desk
    assert isinstance(found, Desk)
    return found


def project_of(connection: HTTPConnection) -> Project:
    """The project that the address names by {slug}; an error, answered by 404, where there is none."""
    at, slug = desk(connection), connection.path_params["slug"]
    return at.projects.look_up(slug, lambda: at.store.projects.get(slug))


@dataclass(frozen=True, slots=True)
class Tab:
    """A page that every project has: its word in the head of the page, its address, who sees it, where it stands."""

    word: str
    path: str  # with {slug}
    role: Role = "viewer"
    place: int = 100

    def url(self, slug: str) -> str:
        """The address for a project."""
        return self.path.replace("{slug}", slug)


FOLDER = Path(__file__).parent / "static"


class Assets:
    """The files of web/static by name, and colors.css, which has the colors of the HTML report."""

    def __init__(self) -> None:
        self._files = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.is_file()}
        self._files["colors.css"] = colors().encode()
        self._marks = {name: sha256(content).hexdigest()[:12] for name, content in self._files.items()}

    def url(self, name: str) -> str:
        """The address of a file, which changes with its content; for templates: {{ asset('base.css') }}."""
        return f"/static/{name}?v={self._marks[name]}"

    def get(self, name: str) -> bytes:
        """What is in a file; an error where there is none: nothing is looked up on the disk."""
        if name not in self._files:
            raise Problem(404, "There is nothing at this address.")
        return self._files[name]


def colors() -> str:
    """The colors of both schemes, as the HTML report has them."""
    light, dark = declarations(LIGHT), declarations(DARK)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
