"""The context of every page and API answer: store, settings, caches, and static files.

What this process changes is forgotten at once (`clear`). What another process on the same store changes is seen
within `seconds`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

import jinja2
from starlette.requests import HTTPConnection

from rankproof.errors import UnknownName
from rankproof.judging.records import Project, Role
from rankproof.judging.rounds.closed import close_round, open_round
from rankproof.judging.store import values as clock
from rankproof.judging.store.store import Store
from rankproof.reports.charts.frame import DARK, LIGHT, declarations
from rankproof.web.overviews import Overviews
from rankproof.web.problems import Problem
from rankproof.web.rounds import Rounds
from rankproof.web.security.credentials import Passwords
from rankproof.web.security.throttle import Throttle
from rankproof.web.settings import ServeSettings

# Keys of each kind that the cache holds; a full cache is emptied.
MOST_EXISTING = 500_000


class ExistenceCache:
    """Refuses acts about queries and documents that the project does not have; remembers those that it has."""

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
        """An error unless each query exists, and each document exists or is ranked for its query by a run."""
        required = set(pairs)
        for query_id in {query_id for query_id, _ in required}:
            self.require_query(slug, query_id)
        unseen = {doc for _, doc in required if (slug, doc) not in self._documents}
        if not unseen:
            return
        stored = self._store.items.documents(slug, unseen)
        self._remember(self._documents, [(slug, doc) for doc in stored])
        for query_id, doc_id in required:
            if doc_id in unseen and doc_id not in stored:
                self._require_ranked(slug, query_id, doc_id)

    def _require_ranked(self, slug: str, query_id: str, doc_id: str) -> None:
        if (slug, query_id, doc_id) in self._ranked:
            return
        ranked = {doc for docs in self._store.runs.rankings(slug, query_id).values() for doc in docs}
        self._remember(self._ranked, [(slug, query_id, doc) for doc in ranked])
        if doc_id not in ranked:
            raise Problem(422, f"No document is called {doc_id!r}, and no run ranks it for {query_id!r}.")

    @staticmethod
    def _remember(seen: set[tuple[str, ...]], keys: Iterable[tuple[str, ...]]) -> None:
        if len(seen) >= MOST_EXISTING:
            seen.clear()
        seen.update(keys)


V = TypeVar("V")

# Entries that a cache holds; a full cache is emptied.
MOST_ENTRIES = 10_000


class TTLCache(Generic[V]):
    """Values by key, each valid for between half and all of `seconds`.

    Jittered expiry, so that entries do not all expire at once. While one thread looks up an expired value, other
    threads still get the old one for a quarter of the time, so that they do not all ask the store.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._entries: dict[str, tuple[float, V]] = {}
        self._generation = 0

    def get(self, key: str) -> V | None:
        """The value while it is valid, otherwise None."""
        entry = self._entries.get(key)
        return entry[1] if entry is not None and entry[0] > self._clock() else None

    def look_up(self, key: str, load: Callable[[], V]) -> V:
        """The value, loaded where there is none or it has expired; an error of `load` is not cached."""
        entry, now, generation = self._entries.get(key), self._clock(), self._generation
        if entry is not None and entry[0] > now:
            return entry[1]
        if entry is not None:
            self._set(key, entry[1], now + self._seconds / 4, generation)
        try:
            value = load()
        except BaseException:
            self._entries.pop(key, None)
            raise
        self._set(key, value, now + self._seconds * (0.5 + hash(key) % 1024 / 2048), generation)
        return value

    def clear(self) -> None:
        """Removes every entry; what is being loaded now will not be cached."""
        self._generation += 1
        self._entries.clear()

    def _set(self, key: str, value: V, expires: float, generation: int) -> None:
        if generation == self._generation:  # else the value may be from before a change
            if len(self._entries) >= MOST_ENTRIES:
                self._entries.clear()
            self._entries[key] = (expires, value)


# Seconds until a change by another process on the same store is seen here.
CACHE_SECONDS = 2.0


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class AppContext:
    """The store, the settings, the templates and static files, the clock, the caches, and the sign-in guards."""

    store: Store
    settings: ServeSettings
    templates: jinja2.Environment
    assets: Assets
    tabs: tuple[Tab, ...] = ()
    clock: Callable[[], datetime] = _utc
    passwords: Passwords = field(default_factory=Passwords)
    throttle: Throttle = field(init=False)
    existing: ExistenceCache = field(init=False)
    rounds: Rounds = field(init=False)
    overviews: Overviews = field(init=False)
    projects: TTLCache[Project] = field(default_factory=lambda: TTLCache(CACHE_SECONDS))

    def __post_init__(self) -> None:
        object.__setattr__(self, "existing", ExistenceCache(self.store))
        object.__setattr__(self, "overviews", Overviews(self.store))
        object.__setattr__(self, "rounds", Rounds(self.store, self.settings.hold.total_seconds()))
        object.__setattr__(self, "throttle", Throttle(self.store))

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

    def change_round(self, slug: str, closed: bool, by: str, note: str = "") -> None:
        """Closes the round of a project or opens it again, seen from the next request on."""
        if (close_round if closed else open_round)(self.store, slug, by, note):
            self.audit(by, "round closed" if closed else "round opened", project=slug)
        self.projects.clear()


def stamp(moment: datetime) -> str:
    """A moment as the store keeps it: two of them compare as texts as they do as times."""
    return clock.moment(moment.isoformat())


def app_context(connection: HTTPConnection) -> AppContext:
    """The context of the application that got this request."""
    context = connection.app.state.context
    assert isinstance(context, AppContext)
    return context


def project_of(connection: HTTPConnection) -> Project:
    """The project that the address names by {slug}; an error, answered by 404, where there is none."""
    context, slug = app_context(connection), connection.path_params["slug"]
    return context.projects.look_up(slug, lambda: context.store.projects.get(slug))


@dataclass(frozen=True, slots=True)
class Tab:
    """A page that every project has: its word in the head of the page, its address, who sees it, where it stands.

    others  it shows what others judged: see `security.roles.RoleGuard`
    """

    word: str
    path: str  # with {slug}
    role: Role = "viewer"
    place: int = 100
    others: bool = False

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
