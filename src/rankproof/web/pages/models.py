"""Models: have a model judge pairs in the background, within a budget; what would be asked, how far it is, stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.judges.contract import Judge
from rankproof.judging.models.questions import WORDS
from rankproof.judging.records import Project
from rankproof.judging.store.loop import Job
from rankproof.kernel import shelf
from rankproof.web.context import AppContext, app_context, project_of
from rankproof.web.model_jobs import MOST_CALLS, ModelJobs, ModelPlan, ModelRequest, OfferedModel
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of


@dataclass(frozen=True, slots=True)
class ModelsPage:
    """The models there are, the form as it was sent, what it would ask, and the jobs."""

    project: Project
    offered: dict[str, OfferedModel]
    judges: tuple[tuple[str, str], ...]
    fields: dict[str, str]
    jobs: Sequence[Job]
    plan: ModelPlan | None = None
    problem: Problem | None = None
    words: tuple[str, ...] = WORDS
    title: str = "Models"

    @property
    def running(self) -> Job | None:
        """The job that runs."""
        return next((job for job in self.jobs if job.state == "running"), None)


def jobs_of(context: AppContext) -> ModelJobs:
    """The jobs of this server."""
    return ModelJobs(context.store, context.settings.models)


@needs("reviewer")
def show(request: Request) -> Response:
    """The form, and the jobs."""
    return render(request, "models.html", _page(request))


@needs("reviewer")
def start(request: Request) -> Response:
    """Shows what would be asked, or asks it."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    jobs = jobs_of(context)
    try:
        if text_of(request, "do") == "again":
            wanted = _again(context, project, text_of(request, "job"))
        else:
            wanted = _request(request)
        if text_of(request, "do") == "look":
            return render(request, "models.html", _page(request, jobs.plan(project, wanted)))
        number = jobs.start(project, wanted, me)
    except (Problem, RankproofError) as error:
        problem = understood(error)
        if problem is None:
            raise
        return render(request, "models.html", _page(request, problem=problem), problem.status)
    context.audit(me, "model started", project=project.slug, model=wanted.model, job=number)
    return RedirectResponse(f"/p/{project.slug}/project/models", 303)


@needs("reviewer")
def stop(request: Request) -> Response:
    """Asks the running job to stop: what is under way is finished."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    if not context.store.jobs.stop(project.slug):
        raise Problem(422, "No model is judging this project.", "Load the page again.")
    context.audit(me, "model stopped", project=project.slug)
    return RedirectResponse(f"/p/{project.slug}/project/models", 303)


def _again(context: AppContext, project: Project, job: str) -> ModelRequest:
    if not (job.isascii() and job.isdigit() and len(job) < 19):
        raise Problem(422, f"No job is called {job[:40]!r}.", "Load the page again.")
    return ModelRequest(**context.store.jobs.get(project.slug, int(job)).settings)  # type: ignore[arg-type]


def _request(request: Request) -> ModelRequest:
    cost = text_of(request, "max_cost").strip()
    try:
        budget = float(cost) if cost else None
    except ValueError:
        raise Problem(422, f"The cost is no number: {cost[:40]!r}.") from None
    sample = text_of(request, "sample").strip()
    return ModelRequest(
        text_of(request, "model"),
        text_of(request, "kind", "graded").strip()[:1000],
        text_of(request, "pairs", "unjudged").strip()[:1000],
        _whole(request, "depth", "How deep the pool goes", "10"),
        _whole(request, "sample", "The number of pairs") if sample else None,
        max_calls=_whole(request, "max_calls", "The number of requests", str(MOST_CALLS)),
        max_cost=budget,
    )


def _whole(request: Request, name: str, what: str, usual: str = "") -> int:
    text = text_of(request, name, usual).strip() or usual
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Problem(422, f"{what} is no whole number: {text[:40]!r}.")
    return int(text)


def _page(request: Request, plan: ModelPlan | None = None, problem: Problem | None = None) -> ModelsPage:
    context, project = app_context(request), project_of(request)
    usual = {
        "model": next(iter(context.settings.models), ""), "kind": "graded", "pairs": "unjudged", "depth": "10",
        "sample": "", "max_calls": str(MOST_CALLS), "max_cost": "",
    }  # fmt: skip
    fields = {name: text_of(request, name, value) for name, value in usual.items()}
    items: list[Judge] = list(shelf.everything("judges").values())
    judges = tuple((item.name, item.summary) for item in items)
    jobs = context.store.jobs.all(project.slug)
    return ModelsPage(project, dict(context.settings.models), judges, fields, jobs, plan, problem)


ROUTES = (
    Route("/p/{slug}/project/models", show, methods=["GET"]),
    Route("/p/{slug}/project/models", start, methods=["POST"]),
    Route("/p/{slug}/project/models/stop", stop, methods=["POST"]),
)
