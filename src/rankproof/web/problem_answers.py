"""Problems answered: as JSON under /api/, as a page elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rankproof.web.problems import Problem, understood

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
    methods = {
        method
        for route in request.app.routes
        if isinstance(route, Route) and route.path_regex.match(request.scope["path"])
        for method in route.methods or ()
    }
    return ", ".join(sorted(methods))
