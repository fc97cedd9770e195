"""Store: everything a team's judging leaves behind, in one database; one attribute for each kind of thing."""

from __future__ import annotations

from rankproof.store.judging.accounts import Accounts
from rankproof.store.judging.address import read_address
from rankproof.store.judging.assignments import Assignments, Gold
from rankproof.store.judging.audit import Audit
from rankproof.store.judging.database import Database
from rankproof.store.judging.experiments import Experiments
from rankproof.store.judging.failures import Failures
from rankproof.store.judging.invitations import Invitations
from rankproof.store.judging.items import Items
from rankproof.store.judging.judgments import Judgments
from rankproof.store.judging.known import KnownProjects
from rankproof.store.judging.marks import Marks
from rankproof.store.judging.migrating import migrate
from rankproof.store.judging.preferences import Preferences
from rankproof.store.judging.projects import Projects
from rankproof.store.judging.runs import Runs
from rankproof.store.judging.sessions import Sessions


class Store:
    """A judging store. Many threads may use it at once; what a write returned from is on the disk."""

    def __init__(self, database: Database) -> None:
        known = KnownProjects(database)
        self._database = database
        self.projects = Projects(database, known)
        self.items = Items(database, known)
        self.runs = Runs(database, known)
        self.judgments = Judgments(database, known)
        self.marks = Marks(database, known)
        self.preferences = Preferences(database, known)
        self.assignments = Assignments(database, known)
        self.gold = Gold(database, known)
        self.failures = Failures(database, known)
        self.experiments = Experiments(database, known)
        self.accounts = Accounts(database)
        self.invitations = Invitations(database)
        self.sessions = Sessions(database)
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

    def close(self) -> None:
        """Closes every connection."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
