"""Faults: an error that nobody foresaw is answered by 500 with an id; the log has the rest under that id."""

from __future__ import annotations

import logging
from secrets import token_hex

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankproof.web.problems import Problem, answer, understood

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
