"""Store: everything a team's judging leaves behind, in one database; one attribute for each kind of thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.judging.files import Act, Kind
from rankproof.judging.store.acts import JudgmentTable, MarkTable, PreferenceTable
from rankproof.judging.store.assignments import Assignments, Gold
from rankproof.judging.store.database import Database, read_address
from rankproof.judging.store.experiments import ExperimentTable, Failures
from rankproof.judging.store.hits import Hits
from rankproof.judging.store.inbox import InboxTable
from rankproof.judging.store.invitations import Invitations, PasswordResets
from rankproof.judging.store.items import Items, KnownProjects, ProjectTable, Runs
from rankproof.judging.store.leases import Leases
from rankproof.judging.store.loop import Closings, Jobs, Resolutions
from rankproof.judging.store.migrate import migrate
from rankproof.judging.store.people import Accounts, Audit, Memberships
from rankproof.judging.store.sessions import Identities, SessionTable, SignInTries


class Store:
    """A judging store. Many threads may use it at once; what a write returned from is on the disk."""

    def __init__(self, database: Database) -> None:
        known = KnownProjects(database)
        self._database = database
        self.projects = ProjectTable(database, known)
        self.items = Items(database, known)
        self.hits = Hits(database, known)
        self.runs = Runs(database, known)
        self.judgments = JudgmentTable(database, known)
        self.marks = MarkTable(database, known)
        self.preferences = PreferenceTable(database, known)
        self.assignments = Assignments(database, known)
        self.leases = Leases(database, known, self.judgments)
        self.gold = Gold(database, known)
        self.failures = Failures(database, known)
        self.experiments = ExperimentTable(database, known)
        self.closings = Closings(database, known)
        self.inbox = InboxTable(database, known)
        self.resolutions = Resolutions(database, known)
        self.jobs = Jobs(database, known)
        self.accounts = Accounts(database)
        self.memberships = Memberships(database, known)
        self.invitations = Invitations(database)
        self.resets = PasswordResets(database)
        self.sessions = SessionTable(database)
        self.identities = Identities(database)
        self.tries = SignInTries(database)
        self.audit = Audit(database)

    @classmethod
    def open(cls, url: str, create: bool = True) -> Store:
        """The store at an address; see `open_store`."""
        database = Database(read_address(url, create))
        try:
            migrate(database, create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def address(self) -> str:
        """Where it is, without a password."""
        return str(self._database.address)

    def backup(self, path: str) -> int:
        """A copy in a new file, for its owner alone: everything that was acknowledged before; how many bytes it has."""
        return self._database.backup(path)

    def close(self) -> None:
        """Closes every connection."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


_MARKS = {"flags": "flag", "picks": "pick"}


def take(store: Store, slug: str, kind: Kind, acts: Sequence[Act]) -> int:
    """Adds acts of one kind, all or none; how many were not there yet. What settles needs a reviewer's name."""
    store.memberships.refuse_settling(slug, acts)
    added: int = _group(store, kind).take(slug, acts)
    return added


def give(store: Store, slug: str, kind: Kind, history: bool = False) -> list[Act]:
    """The acts of one kind that hold, or every one of them."""
    group = _group(store, kind)
    filters = {"kind": _MARKS[kind]} if kind in _MARKS else {}
    acts: list[Act] = (group.history if history else group.current)(slug, **filters)
    return acts


def _group(store: Store, kind: Kind) -> Any:
    return store.judgments if kind == "judgments" else store.marks if kind in _MARKS else store.preferences
