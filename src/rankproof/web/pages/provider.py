"""Sign in by a provider: off to it, and back. Where the server was started without one, there are no such pages."""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.web.context import app_context
from rankproof.web.pages.sign_in import SignInPage, local, provider_name
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.credentials import is_token, same
from rankproof.web.security.oidc import Departure, OidcProvider, admit
from rankproof.web.security.roles import open_to_anybody
from rankproof.web.security.sessions import give_cookie, open_session, signed_in

CALLBACK = "/sign-in/callback"
_MINUTES = 10


@open_to_anybody
def leave(request: Request) -> Response:
    """Off to the provider; what the browser left with stays with it in a cookie that no script sees."""
    provider, departure = _provider(request), Departure()
    goal = local(request.query_params.get("next", "/"))
    answer = RedirectResponse(provider.address(departure, _back(request)), 303)
    settings = app_context(request).settings
    value = ".".join((departure.state, departure.nonce, departure.verifier, quote(goal[:500], safe="")))
    answer.set_cookie(
        _cookie(request), value, max_age=60 * _MINUTES, httponly=True, secure=settings.https, samesite="lax"
    )
    return answer


@open_to_anybody
def come_back(request: Request) -> Response:
    """Back from the provider: opens a session where everything holds and somebody invited who comes."""
    provider, context = _provider(request), app_context(request)
    try:
        departure, goal = _departure(request)
        state, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        if not same(state, departure.state) or not code:
            raise Problem(401, "This is not the sign-in that this browser began.", "Sign in again.")
        person = provider.person(code[:2000], departure, _back(request))
        account = admit(context, provider.settings.issuer, person)
    except Problem as problem:
        page = SignInPage(problem=problem, provider=provider_name(request))
        answer = render(request, "sign_in.html", page, problem.status)
        answer.delete_cookie(_cookie(request), httponly=True, secure=context.settings.https, samesite="lax")
        return answer
    opened = open_session(context, account, signed_in(request.scope), request)
    done = RedirectResponse(goal, 303)
    give_cookie(done, context, opened)
    done.delete_cookie(_cookie(request), httponly=True, secure=context.settings.https, samesite="lax")
    return done


def _provider(request: Request) -> OidcProvider:
    """The provider of this server, made with the first question."""
    settings, state = app_context(request).settings, request.app.state
    if settings.oidc is None:
        raise Problem(404, "Nobody signs in by a provider here.")
    provider = getattr(state, "oidc", None)
    if not isinstance(provider, OidcProvider):
        provider = state.oidc = OidcProvider(settings.oidc)
    return provider


def _departure(request: Request) -> tuple[Departure, str]:
    parts = request.cookies.get(_cookie(request), "").split(".")
    if len(parts) != 4 or not all(map(is_token, parts[:3])):
        raise Problem(401, "This browser has begun no sign-in, or long ago.", "Sign in again.")
    return Departure(*parts[:3]), local(unquote(parts[3]))


def _back(request: Request) -> str:
    """The address that the provider sends back to: the one that is registered with it."""
    return app_context(request).settings.origin + CALLBACK


def _cookie(request: Request) -> str:
    return f"{app_context(request).settings.cookie}_provider"


ROUTES = (
    Route("/sign-in/provider", leave, methods=["GET"]),
    Route(CALLBACK, come_back, methods=["GET"]),
)
