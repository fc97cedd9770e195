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
from rankproof.web.render import render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project and how much of it is done."""

    project: Project
    queries: int
    documents: int
    pairs: int
    judges: int
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


def progress(store: Store, project: Project) -> ProjectRow:
    """How far a project is. `assigned` counts the pairs that were handed out, `answered` those of them with a word."""
    count = store.items.count(project.slug)
    held = store.judgments.current(project.slug)
    judged = {(j.query_id, j.doc_id) for j in held}
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
    slug, me = project_of(request).slug, account_of(request)
    seen = [tab.url(slug) for tab in app_context(request).tabs if me.may(tab.role)]
    return RedirectResponse(seen[0] if seen else "/", 303)


def _page(request: Request, slug: str = "", name: str = "", problem: Problem | None = None) -> HomePage:
    store = app_context(request).store
    return HomePage(tuple(progress(store, p) for p in store.projects.all()), slug=slug, name=name, problem=problem)


ROUTES = (
    Route("/", home, methods=["GET"]),
    Route("/projects", add_project, methods=["POST"]),
    Route("/p/{slug}", project, methods=["GET"]),
)
