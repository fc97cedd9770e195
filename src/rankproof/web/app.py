"""The application: pages and API behind what guards them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.web import discovery
from rankproof.web.api._docs import docs
from rankproof.web.api._every import routes as api_routes
from rankproof.web.api._openapi import openapi
from rankproof.web.assets import Assets, asset
from rankproof.web.desk import Desk
from rankproof.web.problems import Problem, handle
from rankproof.web.render import environment
from rankproof.web.security.bodies import Bodies
from rankproof.web.security.csrf import Forgery
from rankproof.web.security.faults import Faults
from rankproof.web.security.headers import SecurityHeaders
from rankproof.web.security.hosts import Hosts
from rankproof.web.security.sessions import Sessions
from rankproof.web.settings import ServeSettings

if TYPE_CHECKING:
    from rankproof.store.judging.store import Store


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
            *discovery.routes(),
        ],
        middleware=[
            Middleware(SecurityHeaders, https=settings.https),
            Middleware(Faults),
            Middleware(Hosts, allowed=settings.allowed),
            Middleware(Sessions),
            Middleware(Bodies, settings=settings),
            Middleware(Forgery),
        ],
        exception_handlers={HTTPException: handle, Problem: handle, RankproofError: handle},
    )
    app.router.redirect_slashes = False
    app.state.desk = Desk(store, settings, environment(assets), assets, discovery.tabs())
    return app
