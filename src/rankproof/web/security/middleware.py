"""Middleware: body limits, allowed hosts, response headers, and unforeseen errors answered with an id."""

from __future__ import annotations

import logging
from secrets import token_hex

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankproof.web.problem_answers import answer
from rankproof.web.problems import Problem, understood
from rankproof.web.security.policy import IMAGE_HOSTS, policy_for
from rankproof.web.security.sessions import signed_in
from rankproof.web.settings import ServeSettings


class Bodies:
    """Refuses bodies above the limit of who sends them: little from anybody, more from who is signed in."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self._limit(scope, headers)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            raise Problem(400, "The header Content-Length is no number.")
        if int(length[:20]) > limit:
            raise _too_large(limit)
        got = 0

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > limit:
                raise _too_large(limit)
            return message

        await self.app(scope, counted, send)

    def _limit(self, scope: Scope, headers: Headers) -> int:
        if signed_in(scope) is None:
            return self.settings.largest_unknown
        upload = headers.get("content-type", "").startswith("multipart/form-data")
        return self.settings.largest_upload if upload else self.settings.largest_body


def _too_large(limit: int) -> Problem:
    # What was not read is still on its way: the connection cannot be used again.
    return Problem(
        413, f"The body has more than {limit:,} bytes.", "Send it in smaller parts.", {"Connection": "close"}
    )


log = logging.getLogger("rankproof.web")


class Faults:
    """Turns every error into an answer; outside of everything that may raise one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            pass  # nobody is there to be answered
        except Exception as error:
            problem = understood(error) or _fault(scope, error)
            if begun:  # half an answer cannot be taken back: the connection ends
                raise
            await answer(Request(scope), problem)(scope, receive, send)


def _fault(scope: Scope, error: Exception) -> Problem:
    number = token_hex(6)
    log.error("fault %s: %s %r", number, scope["method"], scope["path"], exc_info=error)
    return Problem(500, "Something broke; nothing that was acknowledged is lost.", f"The log has it under {number}.")


ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": with it browsers hide where a form comes from, which is how forged ones are recognized.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
ONLY_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}


class SecurityHeaders:
    """Sets the headers on every answer. Answers without a caching rule of their own are not cached."""

    def __init__(self, app: ASGIApp, https: bool) -> None:
        self.app = app
        self.headers = ALWAYS | (ONLY_HTTPS if https else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers["Content-Security-Policy"] = policy_for(scope.get(IMAGE_HOSTS, ()))
                for name, value in self.headers.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, send_with_headers)


class Hosts:
    """Refuses requests that name another host, more than one, or none; and NUL, which PostgreSQL keeps in no text."""

    def __init__(self, app: ASGIApp, allowed: frozenset[str]) -> None:
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For ASGI."""
        if scope["type"] in ("http", "websocket"):
            named = Headers(scope=scope).getlist("host")
            if len(named) != 1 or name_of(named[0]) not in self.allowed:
                raise Problem(
                    400,
                    "This server does not answer under that name.",
                    "Start it with --public-name for each name that it is reached by.",
                )
            if "\0" in scope["path"] or b"%00" in scope["query_string"]:
                raise Problem(400, "The address holds a NUL character.")
        await self.app(scope, receive, send)


def name_of(host: str) -> str:
    """The name in a Host header, in small letters, without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
