"""Desk: what every page and every answer of the API has at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import jinja2
from starlette.requests import HTTPConnection

from rankproof.records.project import Project
from rankproof.store.judging import clock
from rankproof.web.fresh import Fresh
from rankproof.web.known import Known
from rankproof.web.rounds import Rounds
from rankproof.web.security.passwords import Passwords
from rankproof.web.security.throttle import Throttle
from rankproof.web.settings import ServeSettings

# Seconds until a change by another process on the same store is seen here.
AT_MOST_OLD = 2.0

if TYPE_CHECKING:
    from rankproof.store.judging.store import Store
    from rankproof.web.assets import Assets
    from rankproof.web.discovery import Tab
    from rankproof.web.security.sessions import SignedIn


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
