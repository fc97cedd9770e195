"""Model judging: a model judges pairs in the background of the server, within a budget."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.judging.store.loop import Job
from rankproof.web.api._operations import ApiRequest, Operation, Short, keeping, reply
from rankproof.web.model_jobs import MOST_CALLS, ModelJobs, ModelRequest
from rankproof.web.problems import Problem


class NewJob(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Which of the server's models, which question, which pairs, and the most that it may take."""

    model: Short
    kind: Short = "graded"
    pairs: Annotated[Short, Meta(description="unjudged, pool, judged, assigned, or a selection.")] = "unjudged"
    depth: Annotated[int, Meta(ge=1, le=1000)] = 10
    sample: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0
    max_calls: Annotated[int, Meta(ge=1, le=10_000_000)] = MOST_CALLS
    max_cost: Annotated[float, Meta(gt=0)] | None = None


class ApiJob(msgspec.Struct):
    """A job: how far it is, and why it ended where it is not done."""

    number: int
    model: str
    state: Literal["running", "done", "stopped", "failed", "interrupted"]
    stopping: bool
    done: int
    total: int
    why: str
    by: str
    time: str


class ApiJobs(msgspec.Struct):
    """The last jobs, the newest first, and the models there are."""

    jobs: list[ApiJob]
    models: list[str]


def _shape(job: Job) -> ApiJob:
    model, why = str(job.settings.get("model", "")), str(job.detail.get("why", ""))
    return ApiJob(job.number, model, job.state, job.stopping, job.done, job.total, why, job.by, job.time)


def list_jobs(call: ApiRequest[None, None]) -> Response:
    """The last jobs, the newest first."""
    jobs = [_shape(job) for job in call.context.store.jobs.all(call.slug)]
    return reply(ApiJobs(jobs, list(call.context.settings.models)))


def start_job(call: ApiRequest[NewJob, None]) -> Response:
    """Starts a job; 409 where one runs already."""
    context, project = call.context, call.project
    request = ModelRequest(**msgspec.structs.asdict(call.body))
    newest = context.store.jobs.newest(project.slug)
    if newest is not None and newest.state == "running":
        raise Problem(409, "A model is judging this project already.", "Stop it first, or wait until it is done.")
    jobs = ModelJobs(context.store, context.settings.models)
    number = keeping(lambda: jobs.start(project, request, call.me.name))
    context.audit(call.me.name, "model started", project=project.slug, model=request.model, job=number)
    return reply(_shape(context.store.jobs.get(project.slug, number)), 201)


def stop_job(call: ApiRequest[None, None]) -> Response:
    """Asks the running job to stop; what is under way is finished."""
    if not call.context.store.jobs.stop(call.slug):
        raise Problem(409, "No model is judging this project.")
    call.context.audit(call.me.name, "model stopped", project=call.slug)
    return Response(status_code=204)


OPERATIONS = (
    Operation(
        "GET", "/projects/{slug}/model-judging", "List the jobs of models", list_jobs, role="reviewer",
        replies={200: ApiJobs},
    ),
    Operation(
        "POST", "/projects/{slug}/model-judging", "Let a model judge", start_job, role="reviewer", body=NewJob,
        replies={201: ApiJob}, refusals=(409,),
    ),
    Operation(
        "DELETE", "/projects/{slug}/model-judging", "Stop the running job", stop_job, role="reviewer",
        replies={204: None}, refusals=(409,),
    ),
)  # fmt: skip
