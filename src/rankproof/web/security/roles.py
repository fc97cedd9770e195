"""Roles: each handler says who may use it, and one that says nothing is not served.

Where the address names a project, the role is the one that the account has in that project; who has none there is
answered as if there were no such project. Elsewhere it is the account's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from urllib.parse import quote
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rankproof.judging.records import Role
from rankproof.web.context import project_of
from rankproof.web.problems import Problem
from rankproof.web.security.csrf import SAFE
from rankproof.web.security.independence import sees_others
from rankproof.web.security.sessions import account_in, signed_in

Handler = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]
Guarded = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class RoleGuard:
    """Who may use a handler: a role and those above it, or anybody where it is None.

    others  it shows what others judged: until the round is closed it takes a reviewer, whatever the role
    """

    role: Role | None
    others: bool = False


# Handlers that say which role they take: discovery refuses a page that has none.
_GUARDS: WeakKeyDictionary[Guarded, RoleGuard] = WeakKeyDictionary()


def needs(role: Role, *, others: bool = False) -> Callable[[Handler], Guarded]:
    """Opens a handler to a role and those above it. A plain `def` runs in a thread, so it may wait for the store.

    @needs("judge")
    def judge(request: Request) -> Response: ...
    """
    return lambda handler: _guarded(handler, RoleGuard(role, others))


def open_to_anybody(handler: Handler) -> Guarded:
    """Opens a handler to people who are not signed in."""
    return _guarded(handler, RoleGuard(None))


def guard_of(endpoint: Guarded) -> RoleGuard | None:
    """Who may use a handler; None where it does not say."""
    return _GUARDS.get(endpoint)


def is_guarded(endpoint: object) -> bool:
    """Whether a handler says who may use it."""
    return callable(endpoint) and endpoint in _GUARDS


def check_role(request: Request, role: Role, others: bool = False) -> None:
    """An error unless who sends this may do what `role` may, in the project of the address where it has one."""
    who = signed_in(request.scope)
    if who is None:
        raise Problem(401, "You are not signed in.", "Sign in first.", {"WWW-Authenticate": "Bearer"})
    slug = request.path_params.get("slug")
    account = account_in(who, slug)
    if account is None:
        raise Problem(404, f"No project is called {str(slug)[:80]!r}, or you are not in it.", "Ask who invited you.")
    if not account.may(role):
        raise Problem(
            403,
            f"This takes the role {role}; {account.name} has the role {account.role}{'' if slug is None else ' here'}.",
            "Ask somebody with the role admin.",
        )
    if others and not sees_others(account, project_of(request)):
        raise Problem(
            403,
            f"This shows what others judged: it takes the role reviewer until the round is closed; {account.name} "
            f"has the role {account.role} here.",
            "Ask a reviewer.",
        )


def _guarded(handler: Handler, guard: RoleGuard) -> Guarded:
    role = guard.role

    @wraps(handler)
    async def guarded(request: Request) -> Response:
        if role is not None:
            if signed_in(request.scope) is None and _may_sign_in(request):
                return RedirectResponse(_sign_in(request), 303)
            if guard.others:
                await run_in_threadpool(check_role, request, role, True)
            else:
                check_role(request, role)
        if iscoroutinefunction(handler):
            response = await handler(request)
        else:
            response = await run_in_threadpool(handler, request)
        assert isinstance(response, Response)
        return response

    _GUARDS[guarded] = guard
    return guarded


def _may_sign_in(request: Request) -> bool:
    """Whether somebody looks at a page, and can come back to it after signing in."""
    return request.method in SAFE and not request.scope["path"].startswith("/api/")


def _sign_in(request: Request) -> str:
    url = request.url
    here = url.path + (f"?{url.query}" if url.query else "")
    return "/sign-in" if here == "/" else f"/sign-in?next={quote(here, safe='/')}"
