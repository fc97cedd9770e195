"""Every operation of the API, found by its files, and the routes that they make."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from starlette.routing import Route

from rankproof.web import api
from rankproof.web.api._operation import Operation
from rankproof.web.api._running import endpoint

ROOT = "/api/v1"


@cache
def operations() -> tuple[Operation, ...]:
    """What the modules of this folder offer: signing in first, the rest by address."""
    files = sorted(file[:-3] for folder in api.__path__ for file in os.listdir(folder) if file.endswith(".py"))
    modules = [import_module(f"rankproof.web.api.{file}") for file in files if not file.startswith("_")]
    found = (operation for module in modules for operation in module.OPERATIONS)
    return tuple(sorted(found, key=lambda one: (one.path != "/session", one.path)))


def routes() -> list[Route]:
    """One route for each method and path."""
    return [Route(ROOT + one.path, endpoint(one), methods=[one.method], name=one.name) for one in operations()]
