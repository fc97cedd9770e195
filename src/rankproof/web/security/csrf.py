"""CSRF: what changes something must come from a page of the workbench, and prove it.

A request that changes something and that the browser vouches for (by a cookie, or by none at all) needs
  * an origin that is ours, where the browser tells it (Origin, Sec-Fetch-Site);
  * the token of the session: the hidden field `csrf` of a form, or the header X-CSRF-Token.
Somebody who is not signed in has the token in a cookie of its own. A bearer token is never sent by a browser on its
own, so it needs neither. Under /api/ bodies are JSON, which no form can send: who is not signed in needs no token.
"""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rankproof.web.context import app_context
from rankproof.web.problems import Problem
from rankproof.web.security.credentials import is_token, new_token, same
from rankproof.web.security.sessions import signed_in

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FORM = "rankproof.form"
_NEW = "rankproof.csrf"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
MOST_FIELDS = 2000
MOST_FILES = 20
LONGEST_FIELD = 1 << 20


class Forgery:
    """Refuses what could have been sent by another site; reads forms on the way, since the token is in them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        who = signed_in(scope)
        if (who is None or who.cookie) and "authorization" not in request.headers:
            _same_origin(request)
        form = None if scope["path"].startswith("/api/") else await _read_form(request)
        scope[_FORM] = form or FormData()
        try:
            _check_token(request, form)
            await self.app(scope, receive, send)
        finally:
            if form is not None:
                await form.close()


def form_of(connection: HTTPConnection) -> FormData:
    """The form that came with a request; without fields where none did."""
    form = connection.scope.get(_FORM, FormData())
    assert isinstance(form, FormData)
    return form


def text_of(connection: HTTPConnection, name: str, default: str = "") -> str:
    """A field of the form as text; a file is none. Line ends are as Python has them."""
    value = form_of(connection).get(name, default)
    return value.replace("\r\n", "\n") if isinstance(value, str) else default


def csrf_token(connection: HTTPConnection) -> str:
    """What a form on this page has to carry."""
    who = signed_in(connection.scope)
    if who is not None:
        return who.csrf
    cookie = connection.cookies.get(_cookie(connection))
    if cookie is not None and is_token(cookie):
        return cookie
    return str(connection.scope.setdefault(_NEW, new_token()))


def keep_csrf(connection: HTTPConnection, response: Response) -> None:
    """Gives a browser that is not signed in the token of its forms, unless it has one."""
    if _NEW in connection.scope:
        response.set_cookie(
            _cookie(connection),
            connection.scope[_NEW],
            httponly=True,
            secure=app_context(connection).settings.https,
            samesite="strict",
        )


def _cookie(connection: HTTPConnection) -> str:
    return f"{app_context(connection).settings.cookie}_form"


def _same_origin(request: Request) -> None:
    """An error when the browser says that the request comes from somewhere else."""
    own = f"{app_context(request).settings.scheme}://{request.headers['host'].lower()}"
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    if (origin is not None and origin.lower() != own) or site not in (None, "same-origin", "none"):
        raise Problem(403, "This came from another site.", "Open the page itself and send it from there.")


async def _read_form(request: Request) -> FormData | None:
    """The form of a page; None where the body is not a form, which a script may send with the token in a header."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _FORMS:
        return None
    try:
        form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD)
    except Problem:
        raise
    except Exception as error:  # the parsers raise errors of several kinds for a broken form
        raise Problem(400, "The form cannot be read.") from error
    if any("\0" in part for name, value in form.multi_items() for part in (name, value) if isinstance(part, str)):
        await form.close()
        raise Problem(400, "The form holds a NUL character.", "Remove it.")
    return form


def _check_token(request: Request, form: FormData | None) -> None:
    who = signed_in(request.scope)
    if who is None and request.scope["path"].startswith("/api/"):
        return
    if who is not None and not who.cookie:
        return
    token = request.headers.get("x-csrf-token") or (form.get("csrf") if form is not None else "")
    if not isinstance(token, str) or not same(token, csrf_token(request)):
        raise Problem(403, "This form is no longer good.", "Go back, load the page again and send it from there.")
