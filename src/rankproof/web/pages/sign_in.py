"""Sign in, sign out, and accept an invitation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.store.invitations import Invitation
from rankproof.web.context import app_context
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.accounts import accept, address_of, check_password, invited, join
from rankproof.web.security.credentials import SHORTEST
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs, open_to_anybody
from rankproof.web.security.sessions import account_of, end_session, give_cookie, open_session, signed_in, take_cookie


@dataclass(frozen=True, slots=True)
class SignInPage:
    """Name and password, where to go then, and what was wrong with the last try."""

    next: str = "/"
    name: str = ""
    problem: Problem | None = None
    provider: str = ""
    title: str = "Sign in"


@dataclass(frozen=True, slots=True)
class InvitationPage:
    """What an invitation is to, and what it asks for.

    there  the account that it is for is there already: whoever has it signs in and takes the invitation
    """

    token: str
    invitation: Invitation
    there: bool = False
    name: str = ""
    problem: Problem | None = None
    shortest: int = SHORTEST
    title: str = "Accept the invitation"


@open_to_anybody
def show_sign_in(request: Request) -> Response:
    """The form."""
    goal = local(request.query_params.get("next", "/"))
    if signed_in(request.scope) is not None:
        return RedirectResponse(goal, 303)
    return render(request, "sign_in.html", SignInPage(goal, provider=provider_name(request)))


@open_to_anybody
def sign_in(request: Request) -> Response:
    """Opens a session, with a token that nobody has seen before."""
    context, name, goal = app_context(request), text_of(request, "name"), local(text_of(request, "next", "/"))
    try:
        account = check_password(context, name, text_of(request, "password"), address_of(request))
    except Problem as problem:
        response = render(
            request, "sign_in.html", SignInPage(goal, name[:64], problem, provider_name(request)), problem.status
        )
        response.headers.update(problem.headers)
        return response
    opened = open_session(context, account, signed_in(request.scope), request)
    answer = RedirectResponse(goal, 303)
    give_cookie(answer, context, opened)
    return answer


@needs("viewer")
def sign_out(request: Request) -> Response:
    """Ends the session in the store, not only in the browser."""
    context, who = app_context(request), signed_in(request.scope)
    if who is not None:
        end_session(context, who)
    context.audit(account_of(request).name, "sign-out")
    answer = RedirectResponse("/sign-in", 303)
    take_cookie(answer, context)
    return answer


@open_to_anybody
def show_invitation(request: Request) -> Response:
    """The form; nothing is used up by looking at it."""
    return render(request, "invitation.html", _invitation_page(request))


@open_to_anybody
def accept_invitation(request: Request) -> Response:
    """Makes the account and signs in; or lets an account that is there already in."""
    context, token, who = app_context(request), request.path_params["token"], signed_in(request.scope)
    page = _invitation_page(request)
    name = page.invitation.person or text_of(request, "name")
    try:
        if who is not None and text_of(request, "join") == "yes":
            taken = join(context, token, who.account)
            return RedirectResponse("/" if taken.project is None else f"/p/{taken.project}", 303)
        account = accept(context, token, name, text_of(request, "password"))
    except (Problem, RankproofError) as error:
        problem = understood(error)
        assert problem is not None
        page = replace(page, name=name[:64], problem=problem)
        return render(request, "invitation.html", page, problem.status)
    opened = open_session(context, account, who, request)
    answer = RedirectResponse("/", 303)
    give_cookie(answer, context, opened)
    return answer


def _invitation_page(request: Request) -> InvitationPage:
    context, token = app_context(request), request.path_params["token"]
    invitation = invited(context, token)
    there = bool(invitation.person) and context.store.accounts.find(invitation.person) is not None
    return InvitationPage(token, invitation, there)


def provider_name(request: Request) -> str:
    """What the provider is called that one may sign in by; empty where there is none."""
    provider = app_context(request).settings.oidc
    return "" if provider is None else provider.name


def local(goal: str) -> str:
    """Where to go after signing in: an address of the workbench, else its first page."""
    plain = goal.startswith("/") and not goal.startswith(("//", "/\\")) and goal.isprintable() and "\\" not in goal
    return goal if plain else "/"


ROUTES = (
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route("/invitation/{token}", show_invitation, methods=["GET"]),
    Route("/invitation/{token}", accept_invitation, methods=["POST"]),
)
