"""Bodies: no request may send more than its limit, said beforehand or not."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankproof.web.problems import Problem
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
        said = headers.get("content-length", "0")
        if not said.isascii() or not said.isdigit():
            raise Problem(400, "The header Content-Length is no number.")
        if int(said[:20]) > limit:
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
