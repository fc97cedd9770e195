"""Home: the projects and how far they are; an admin makes new ones here."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.records import SCALES, Project, find_scale
from rankproof.judging.store.store import Store
from rankproof.web.context import app_context, project_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render, tabs_for
from rankproof.web.security.csrf import text_of
from rankproof.web.security.independence import sees_others
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_in, account_of, projects_of, signed_in


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project and how much of it is done.

    pairs    that are judged: by everybody, or by who looks
    judges   who judged; None where only one's own work is shown
    """

    project: Project
    queries: int
    documents: int
    pairs: int
    judges: int | None
    assigned: int
    answered: int


@dataclass(frozen=True, slots=True)
class HomePage:
    """The projects, and the form for another one as it was sent."""

    projects: tuple[ProjectRow, ...]
    scales: tuple[str, ...] = tuple(SCALES)
    slug: str = ""
    name: str = ""
    problem: Problem | None = None
    title: str = "Projects"


def progress(store: Store, project: Project, judge: str | None = None) -> ProjectRow:
    """How far a project is. `assigned` counts the pairs that were handed out, `answered` those of them with a word.

    Of a judge it is how many pairs are judged, and nothing else: what was handed out has no gold questions in it.
    """
    count = store.items.count(project.slug)
    held = store.judgments.current(project.slug, judge=judge)
    judged = {(j.query_id, j.doc_id) for j in held}
    if judge is not None:
        return ProjectRow(project, count.queries, count.documents, len(judged), None, 0, 0)
    assigned = {(a.query_id, a.doc_id) for a in store.assignments.all(project.slug)}
    return ProjectRow(
        project,
        count.queries,
        count.documents,
        len(judged),
        len({j.judge for j in held}),
        len(assigned),
        len(assigned & judged),
    )


@needs("viewer")
def home(request: Request) -> Response:
    """The list."""
    return render(request, "home.html", _page(request))


@needs("admin")
def add_project(request: Request) -> Response:
    """Makes a project and goes to its settings."""
    context, by = app_context(request), account_of(request).name
    slug, name = text_of(request, "slug").strip(), text_of(request, "name").strip()
    try:
        project = Project(slug, name or slug, find_scale(text_of(request, "scale")))
        context.store.projects.add(project, by)
    except RankproofError as error:
        problem = understood(error)
        if problem is None:
            raise
        return render(request, "home.html", _page(request, slug, name, problem), problem.status)
    context.audit(by, "project added", project=slug)
    return RedirectResponse(f"/p/{slug}/settings", 303)


@needs("viewer")
def project(request: Request) -> Response:
    """The first page of a project that one may see."""
    here, me = project_of(request), account_of(request)
    seen = [tab.url(here.slug) for tab in tabs_for(app_context(request).tabs, me, here)]
    return RedirectResponse(seen[0] if seen else "/", 303)


def _page(request: Request, slug: str = "", name: str = "", problem: Problem | None = None) -> HomePage:
    store, who = app_context(request).store, signed_in(request.scope)
    rows = []
    for one in projects_of(request):
        account = account_in(who, one.slug) if who is not None else None
        if account is not None:
            rows.append(progress(store, one, None if sees_others(account, one) else account.name))
    return HomePage(tuple(rows), slug=slug, name=name, problem=problem)


ROUTES = (
    Route("/", home, methods=["GET"]),
    Route("/projects", add_project, methods=["POST"]),
    Route("/p/{slug}", project, methods=["GET"]),
)
