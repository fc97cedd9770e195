"""Sessions: who sends a request, by the session's cookie or by a bearer token."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rankproof.judging.records import Account, Project
from rankproof.web.context import AppContext, app_context, stamp
from rankproof.web.security.credentials import SignedIn, digest, is_token, new_token

_KEY = "rankproof.signed_in"


class SessionMiddleware:
    """Finds who sends a request, and leaves the request to others."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            connection = HTTPConnection(scope)
            context = app_context(connection)
            token, cookie = _token(connection, context.settings.cookie)
            scope[_KEY] = await _signed_in(context, token, cookie) if is_token(token) else None
        await self.app(scope, receive, send)


def signed_in(scope: Scope) -> SignedIn | None:
    """Who sends this request; None for somebody unknown."""
    session = scope.get(_KEY)
    assert session is None or isinstance(session, SignedIn)
    return session


def account_of(connection: HTTPConnection) -> Account:
    """The account of who sends this, with its role in the project of the address where there is one.

    Only for handlers that are open to roles.
    """
    session = signed_in(connection.scope)
    assert session is not None, "this handler is open to anybody"
    account = account_in(session, connection.path_params.get("slug"))
    assert account is not None, "the role was not checked"
    return account


def account_in(who: SignedIn, slug: str | None) -> Account | None:
    """Somebody as they stand in a project; None where they are not in it. Without a project, as they are."""
    if slug is None or who.account.role == "admin":
        return who.account
    role = who.roles.get(slug)
    return None if role is None else replace(who.account, role=role)


def projects_of(connection: HTTPConnection) -> list[Project]:
    """The projects that somebody is in, the oldest first: all of them for who rules the server."""
    who = signed_in(connection.scope)
    every = app_context(connection).store.projects.all()
    return [] if who is None else [project for project in every if account_in(who, project.slug) is not None]


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was just opened: the token is known only now."""

    token: str
    expires: str


def open_session(
    context: AppContext, account: Account, before: SignedIn | None = None, request: HTTPConnection | None = None
) -> Opened:
    """A new session with a new token; the one before ends, and a token that somebody brought along is never used."""
    if before is not None:
        end_session(context, before)
    context.store.sessions.sweep(context.now())
    token = new_token()
    expires = stamp(context.clock() + context.settings.session)
    address = request.client.host if request is not None and request.client is not None else ""
    agent = request.headers.get("user-agent", "") if request is not None else ""
    context.store.sessions.add(digest(token), account.name, new_token(), expires, address, agent)
    return Opened(token, expires)


def end_session(context: AppContext, who: SignedIn) -> None:
    """Ends a session in the store: its token opens nothing any more."""
    context.store.sessions.end(who.token)


def give_cookie(response: Response, context: AppContext, opened: Opened) -> None:
    """Lets the browser keep the session. No script sees it, and other sites' forms do not send it."""
    response.set_cookie(
        context.settings.cookie,
        opened.token,
        max_age=int(context.settings.session.total_seconds()),
        httponly=True,
        secure=context.settings.https,
        samesite="lax",
    )


def take_cookie(response: Response, context: AppContext) -> None:
    """Lets the browser forget the session."""
    response.delete_cookie(context.settings.cookie, httponly=True, secure=context.settings.https, samesite="lax")


def _token(connection: HTTPConnection, cookie: str) -> tuple[str, bool]:
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    if kind:
        return (token.strip() if kind.lower() == "bearer" else "", False)
    return connection.cookies.get(cookie, ""), True


async def _signed_in(context: AppContext, token: str, cookie: bool) -> SignedIn | None:
    """Asked of the store each time: a session that was ended, wherever, is over with the next request."""
    hashed = digest(token)
    found = await run_in_threadpool(context.store.sessions.with_account, hashed)
    if found is None or not found.account.active or found.session.expires <= context.now():
        return None
    return SignedIn(found.account, found.session.csrf, hashed, found.session.expires, cookie, found.roles)
