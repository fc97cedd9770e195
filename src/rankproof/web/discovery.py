"""Discovery: a page is a module of web/pages; adding the file is the whole registration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from starlette.routing import BaseRoute, Route

from rankproof.records.account import Role
from rankproof.web import pages
from rankproof.web.security.roles import is_guarded


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


def routes() -> list[BaseRoute]:
    """The routes of every page; an error where one does not say who may use it."""
    found: list[BaseRoute] = []
    for module in _modules():
        for route in module.ROUTES:
            if not isinstance(route, Route) or not is_guarded(route.endpoint):
                raise TypeError(f"{module.__name__}: {route!r} does not say who may use it: @needs(role)")
            found.append(route)
    return found


def tabs() -> tuple[Tab, ...]:
    """The tabs of every page, in their order."""
    return tuple(sorted((t for m in _modules() for t in getattr(m, "TABS", ())), key=lambda t: (t.place, t.word)))


def _modules() -> Iterator[ModuleType]:
    names = {
        file[:-3]
        for folder in pages.__path__
        for file in os.listdir(folder)
        if file.endswith(".py") and not file.startswith("_")
    }
    for name in sorted(names):
        yield import_module(f"rankproof.web.pages.{name}")
