"""Project: the steps of the loop, how far each is, and what to do next; a round is closed and opened here."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.agreement import ratings_of_judgments
from rankproof.judging.records import Project
from rankproof.judging.rounds.closed import is_closed
from rankproof.judging.steps import LoopStep, loop_steps, next_step
from rankproof.judging.store.loop import Closing
from rankproof.proving.agreement import together
from rankproof.proving.agreement_records import Agreement
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class ProjectPage:
    """The steps, the next one, agreement so far, and the round."""

    project: Project
    steps: tuple[LoopStep, ...]
    next: LoopStep
    agreement: Agreement | None
    closed: bool
    closings: tuple[Closing, ...]
    title: str = "Project"


@needs("reviewer")
def show(request: Request) -> Response:
    """The steps."""
    store, project = app_context(request).store, project_of(request)
    steps = loop_steps(store, project)
    alone = store.judgments.current(project.slug, source="person", settling=False)
    ratings = ratings_of_judgments(alone)
    agreement = together(ratings) if len(ratings.judges) > 1 else None
    closings = tuple(reversed(store.closings.history(project.slug)))
    closed = is_closed(store, project.slug)
    page = ProjectPage(project, steps, next_step(steps), agreement, closed, closings)
    return render(request, "project.html", page)


@needs("reviewer")
def close(request: Request) -> Response:
    """Closes the round, or opens it again."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    note, do = text_of(request, "note").strip(), text_of(request, "do")
    if do not in ("close", "open"):
        raise Problem(422, "A round is closed or opened.", "Use the buttons of the page.")
    if len(note) > LONGEST_NOTE:
        raise Problem(422, f"The note has more than {LONGEST_NOTE:,} characters.", "Shorten it.")
    context.change_round(project.slug, do == "close", me, note)
    return RedirectResponse(f"/p/{project.slug}/project#close", 303)


ROUTES = (
    Route("/p/{slug}/project", show, methods=["GET"]),
    Route("/p/{slug}/project/round", close, methods=["POST"]),
)
TABS = (Tab("Project", "/p/{slug}/project", role="reviewer", place=5),)
