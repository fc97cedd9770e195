"""Hosts: a request is answered only under a name that was given at the start (DNS rebinding), at a plain address."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rankproof.web.problems import Problem


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
