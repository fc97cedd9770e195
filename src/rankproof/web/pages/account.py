"""One's own account: password, sessions; and the page of a link for those who forgot their password."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.records import Role
from rankproof.judging.store.sessions import OpenSession
from rankproof.web.context import app_context
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.accounts import address_of, change_password, reset_of, reset_password
from rankproof.web.security.credentials import SHORTEST
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs, open_to_anybody
from rankproof.web.security.sessions import account_of, give_cookie, open_session, signed_in


@dataclass(frozen=True, slots=True)
class AccountPage:
    """What I am in which project, where I am signed in, and what was wrong with the last try."""

    roles: tuple[tuple[str, Role], ...]
    sessions: tuple[OpenSession, ...]
    this: str
    problem: Problem | None = None
    done: str = ""
    shortest: int = SHORTEST
    title: str = "Your account"


@dataclass(frozen=True, slots=True)
class PasswordPage:
    """What a link for a password asks for."""

    token: str
    name: str
    problem: Problem | None = None
    shortest: int = SHORTEST
    title: str = "Choose a password"


@needs("viewer")
def show(request: Request) -> Response:
    """The page."""
    return render(request, "account.html", _page(request))


@needs("viewer")
def password(request: Request) -> Response:
    """Changes the password, who knows the one before. Every session ends; this browser gets a new one."""
    context, me = app_context(request), account_of(request)
    try:
        change_password(context, me, text_of(request, "old"), text_of(request, "new"), address_of(request))
    except Problem as problem:
        response = render(request, "account.html", _page(request, problem), problem.status)
        response.headers.update(problem.headers)
        return response
    answer = RedirectResponse("/account?changed", 303)
    give_cookie(answer, context, open_session(context, me, request=request))
    return answer


@needs("viewer")
def end(request: Request) -> Response:
    """Ends one of one's own sessions, or all but this one."""
    context, me, handle = app_context(request), account_of(request).name, text_of(request, "handle")
    who = signed_in(request.scope)
    if handle:
        if not context.store.sessions.end_one(me, handle):
            raise Problem(422, "This session is over already.", "Load the page again.")
    else:
        context.store.sessions.end_all(me, "" if who is None else who.token)
    context.audit(me, "sessions ended", name=me)
    return RedirectResponse("/account", 303)


@open_to_anybody
def show_reset(request: Request) -> Response:
    """The form; nothing is used up by looking at it."""
    token = request.path_params["token"]
    return render(request, "password.html", PasswordPage(token, reset_of(app_context(request), token)))


@open_to_anybody
def reset(request: Request) -> Response:
    """Gives the account its new password; one signs in with it."""
    context, token = app_context(request), request.path_params["token"]
    name = reset_of(context, token)
    try:
        reset_password(context, token, text_of(request, "password"))
    except Problem as problem:
        return render(request, "password.html", PasswordPage(token, name, problem), problem.status)
    return RedirectResponse("/sign-in", 303)


def _page(request: Request, problem: Problem | None = None) -> AccountPage:
    context, me, who = app_context(request), account_of(request), signed_in(request.scope)
    assert who is not None
    done = "The password is changed." if "changed" in request.query_params else ""
    return AccountPage(
        tuple(sorted(who.roles.items())),
        tuple(context.store.sessions.all(me.name, context.now())),
        who.token[:16],
        problem,
        done,
    )


ROUTES = (
    Route("/account", show, methods=["GET"]),
    Route("/account/password", password, methods=["POST"]),
    Route("/account/sessions", end, methods=["POST"]),
    Route("/password/{token}", show_reset, methods=["GET"]),
    Route("/password/{token}", reset, methods=["POST"]),
)
