"""The application: pages found by their files, the API and static files behind their guards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from mimetypes import guess_type
from types import ModuleType
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rankproof.errors import RankproofError
from rankproof.web import pages
from rankproof.web.api._openapi import docs, openapi
from rankproof.web.api._operations import routes as api_routes
from rankproof.web.context import AppContext, Assets, Tab
from rankproof.web.problem_answers import handle
from rankproof.web.problems import Problem
from rankproof.web.render import environment
from rankproof.web.security.csrf import Forgery
from rankproof.web.security.middleware import Bodies, Faults, Hosts, SecurityHeaders
from rankproof.web.security.roles import is_guarded, open_to_anybody
from rankproof.web.security.sessions import SessionMiddleware
from rankproof.web.settings import ServeSettings

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store


_FOREVER = "public, max-age=31536000, immutable"


@open_to_anybody
async def asset(request: Request) -> Response:
    """A file of web/static."""
    name = request.path_params["name"]
    content = request.app.state.context.assets.get(name)
    kind = guess_type(name)[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers={"Cache-Control": _FOREVER})


def routes() -> list[BaseRoute]:
    """The routes of every page; an error where one does not say who may use it."""
    every: list[BaseRoute] = []
    for module in _modules():
        for route in module.ROUTES:
            if not isinstance(route, Route) or not is_guarded(route.endpoint):
                raise TypeError(f"{module.__name__}: {route!r} does not say who may use it: @needs(role)")
            every.append(route)
    return every


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


def make_app(store: Store, settings: ServeSettings | None = None) -> Starlette:
    """The workbench over a store. A request passes the guards from the first to the last."""
    settings = settings or ServeSettings()
    assets = Assets()
    app = Starlette(
        routes=[
            Route("/static/{name}", asset),
            Route("/api/openapi.json", openapi),
            Route("/api/docs", docs),
            *api_routes(),
            *routes(),
        ],
        middleware=[
            Middleware(SecurityHeaders, https=settings.https),
            Middleware(Faults),
            Middleware(Hosts, allowed=settings.allowed),
            Middleware(SessionMiddleware),
            Middleware(Bodies, settings=settings),
            Middleware(Forgery),
        ],
        exception_handlers={HTTPException: handle, Problem: handle, RankproofError: handle},
    )
    app.router.redirect_slashes = False
    app.state.context = AppContext(store, settings, environment(assets), assets, tabs())
    return app
