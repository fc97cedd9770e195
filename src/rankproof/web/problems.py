"""Problem: a request that cannot be met, with its status; one shape for programs, one page for people.

{"error": {"type": "not_found", "message": "No project is called 'x'.", "remedy": "..."}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError, UnknownName

# Every status of an error, with its type.
TYPES: Mapping[int, str] = {
    400: "bad_request",
    401: "not_signed_in",
    403: "not_allowed",
    404: "not_found",
    405: "wrong_method",
    409: "conflict",
    413: "too_large",
    415: "wrong_media_type",
    422: "invalid",
    429: "too_many_tries",
    500: "fault",
}

TITLES: Mapping[int, str] = {
    400: "This request cannot be read",
    401: "Sign in first",
    403: "This is not allowed",
    404: "This is not here",
    405: "This cannot be done here",
    409: "This conflicts with what is there",
    413: "This is too much at once",
    415: "This kind of content is not taken",
    422: "This does not fit",
    429: "Too many tries",
    500: "Something broke",
}


class Problem(Exception):
    """Raised by whoever finds that a request cannot be met; `type` follows from the status."""

    def __init__(self, status: int, message: str, remedy: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.remedy = status, message, remedy
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {"type": TYPES[self.status], "message": self.message}
        return {"error": told | ({"remedy": self.remedy} if self.remedy else {})}


def understood(error: Exception) -> Problem | None:
    """The problem behind an error that was raised on purpose; None for a fault of the program or of the database."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UnknownName):
        return Problem(404, _readable(error))
    if isinstance(error, RankproofError):
        return None if isinstance(error.__context__, DBAPIError) else Problem(422, _readable(error))
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            return Problem(405, "This address does not take that method.")
        if error.status_code == 404:
            return Problem(404, "There is nothing at this address.")
        return Problem(error.status_code if error.status_code in TYPES else 400, error.detail)
    return None


def answer(request: Request, problem: Problem) -> Response:
    """The problem as JSON under /api/, as a page elsewhere."""
    if request.scope["path"].startswith("/api/"):
        return JSONResponse(problem.to_dict(), problem.status, problem.headers)
    from rankproof.web.render import ProblemPage, render

    page = ProblemPage(TITLES[problem.status], problem.message, problem.remedy)
    response = render(request, "problem.html", page, problem.status)
    response.headers.update(problem.headers)
    return response


async def handle(request: Request, error: Exception) -> Response:
    """For Starlette: an error that was raised on purpose becomes its answer; others go on up."""
    problem = understood(error)
    if problem is None:
        raise error
    if problem.status == 405:
        allowed = _methods(request)
        problem = Problem(405, problem.message, f"It takes: {allowed}.", {"Allow": allowed})
    return answer(request, problem)


def _methods(request: Request) -> str:
    """The methods of every route with this address: several may have it."""
    found = {
        method
        for route in request.app.routes
        if isinstance(route, Route) and route.path_regex.match(request.scope["path"])
        for method in route.methods or ()
    }
    return ", ".join(sorted(found))


def _readable(error: RankproofError) -> str:
    """The message without bytes that no encoding holds."""
    return str(error).encode("utf-8", "replace").decode("utf-8")
