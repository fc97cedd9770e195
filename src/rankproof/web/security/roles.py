"""Roles: each handler says who may use it, and one that says nothing is not served."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from urllib.parse import quote
from weakref import WeakSet

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rankproof.judging.records import Role
from rankproof.web.problems import Problem
from rankproof.web.security.csrf import SAFE
from rankproof.web.security.sessions import signed_in

Handler = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]
Guarded = Callable[[Request], Awaitable[Response]]
# Handlers that say which role they take: discovery refuses a page that has none.
_GUARDED: WeakSet[object] = WeakSet()


def needs(role: Role) -> Callable[[Handler], Guarded]:
    """Opens a handler to a role and those above it. A plain `def` runs in a thread, so it may wait for the store.

    @needs("judge")
    def judge(request: Request) -> Response: ...
    """
    return lambda handler: _guarded(handler, role)


def open_to_anybody(handler: Handler) -> Guarded:
    """Opens a handler to people who are not signed in."""
    return _guarded(handler, None)


def is_guarded(endpoint: object) -> bool:
    """Whether a handler says who may use it."""
    return endpoint in _GUARDED


def check_role(request: Request, role: Role) -> None:
    """An error unless who sends this may do what `role` may."""
    who = signed_in(request.scope)
    if who is None:
        raise Problem(401, "You are not signed in.", "Sign in first.", {"WWW-Authenticate": "Bearer"})
    if not who.account.may(role):
        raise Problem(
            403,
            f"This takes the role {role}; {who.account.name} has the role {who.account.role}.",
            "Ask somebody with the role admin.",
        )


def _guarded(handler: Handler, role: Role | None) -> Guarded:
    @wraps(handler)
    async def guarded(request: Request) -> Response:
        if role is not None:
            if signed_in(request.scope) is None and _may_sign_in(request):
                return RedirectResponse(_sign_in(request), 303)
            check_role(request, role)
        if iscoroutinefunction(handler):
            response = await handler(request)
        else:
            response = await run_in_threadpool(handler, request)
        assert isinstance(response, Response)
        return response

    _GUARDED.add(guarded)
    return guarded


def _may_sign_in(request: Request) -> bool:
    """Whether somebody looks at a page, and can come back to it after signing in."""
    return request.method in SAFE and not request.scope["path"].startswith("/api/")


def _sign_in(request: Request) -> str:
    url = request.url
    here = url.path + (f"?{url.query}" if url.query else "")
    return "/sign-in" if here == "/" else f"/sign-in?next={quote(here, safe='/')}"
