"""The loop: its steps, files into a project, pairs handed out to judges, the round, and the runs measured."""

from __future__ import annotations

import base64
import binascii
import os
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.errors import RankproofError
from rankproof.judging.adjudicate import DEFAULT, adjudicate
from rankproof.judging.explore import compared, standing
from rankproof.judging.rounds.closed import is_closed
from rankproof.judging.rounds.hand_out import (
    HandOutRequest,
    assignments_answered,
    give_out,
    judge_names,
    plan_hand_out,
)
from rankproof.judging.steps import loop_steps, next_step
from rankproof.judging.uploads import DEEPEST, DEPTH, plain_name, take_upload, uploaded
from rankproof.kernel.estimate import Estimate
from rankproof.web.api._operations import ApiRequest, Note, Operation, Short, keeping, reply
from rankproof.web.pages.results import measured_values
from rankproof.web.problems import Problem

_Count = Annotated[int, Meta(ge=0, le=10_000_000)]


class ApiStep(msgspec.Struct):
    """A step of the loop: how it stands, and the same by command and by API."""

    name: str
    title: str
    state: Literal["done", "open", "optional"]
    facts: list[str]
    command: str
    call: str


class ApiSteps(msgspec.Struct):
    """The steps in order, and the name of the next."""

    steps: list[ApiStep]
    next: str


class NewFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A file of queries, documents or a run, in Base64. Greater ones than a body may be are sent by the page."""

    what: Literal["queries", "documents", "run"]
    name: Short
    content: Annotated[str, Meta(pattern="^[A-Za-z0-9+/=]*$", description="The bytes in Base64.")]
    format: Short = ""
    run: Annotated[Short, Meta(description="The name of the run; else the one in the file.")] = ""
    depth: Annotated[int, Meta(ge=1, le=DEEPEST, description="Documents of each query of a run.")] = DEPTH


class ApiUpload(msgspec.Struct):
    """What was added. `left_out` are queries of a run that the project does not have."""

    what: str
    name: str
    added: int
    there: int
    left_out: int
    notes: list[str]


class NewAssignments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Whom, how many pairs, how many of them all judges get, and which pairs. With `dry_run` nothing is assigned."""

    judges: Annotated[list[Short], Meta(min_length=1, max_length=200)]
    pairs: Annotated[int, Meta(ge=1, le=1_000_000)]
    overlap: _Count | None = None
    each: Annotated[int, Meta(ge=1, le=200)] = 1
    selection: Short = ""
    seed: _Count = 0
    dry_run: bool = False


class JudgeLoad(msgspec.Struct):
    """How many pairs a judge was asked about and has answered; the judge is empty for pairs that anybody may take."""

    judge: str
    asked: int
    answered: int
    left: int


class ApiAssignments(msgspec.Struct):
    """What was handed out, or would be; and how everybody stands."""

    judges: list[JudgeLoad]
    judgments: int = 0
    load: dict[str, int] = {}


class ApiRound(msgspec.Struct):
    """Whether the round is closed."""

    closed: bool


class NewRound(msgspec.Struct, forbid_unknown_fields=True):
    """Closes the round, or opens it again; the note says why."""

    closed: bool
    note: Note = ""


class ResultsQuery(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Measures, the run that others are compared with, and how judgments settle."""

    measures: Annotated[str, Meta(min_length=1, max_length=1000)] = "nDCG@10 P@10 RR"
    baseline: Short = ""
    method: Short = DEFAULT


class ApiContrast(msgspec.Struct):
    """A run against the baseline in a measure; `reason` says why there is no interval."""

    run: str
    baseline: str
    measure: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    reason: str


class ApiResults(msgspec.Struct):
    """Every run in every measure, and every other run against the baseline. `acts` names the judgments behind it."""

    acts: str
    settled: int
    unresolved: int
    values: dict[str, dict[str, float | None]]
    comparisons: list[ApiContrast]
    left_out: dict[str, str]


def show_steps(call: ApiRequest[None, None]) -> Response:
    """How far the project is, and what to do next."""
    steps = loop_steps(call.context.store, call.project)
    return reply(ApiSteps([msgspec.convert(step.to_dict(), ApiStep) for step in steps], next_step(steps).name))


def add_file(call: ApiRequest[NewFile, None]) -> Response:
    """Adds what a file has, all of it or nothing."""
    body = call.body
    try:
        content = base64.b64decode(body.content, validate=True)
    except (binascii.Error, ValueError):
        raise Problem(422, "The content is not Base64.") from None
    with TemporaryDirectory(prefix="rankproof-") as folder:
        path = os.path.join(folder, "upload")
        with open(path, "wb") as file:
            file.write(content)
        source = uploaded(path, plain_name(body.name))
        form = body.format or None
        if form is not None and ":" in form:
            raise Problem(422, f"No format is called {form[:40]!r}.")
        taken = keeping(
            lambda: take_upload(
                call.context.store, call.slug, body.what, source, form=form, name=body.run, depth=body.depth
            )
        )
    call.context.audit(call.me.name, "files added", project=call.slug, what=taken.what, file=taken.name)
    return reply(msgspec.convert(taken.to_dict(), ApiUpload))


def show_assignments(call: ApiRequest[None, None]) -> Response:
    """How far every judge is."""
    return reply(ApiAssignments(_standing(call)))


def assign_pairs(call: ApiRequest[NewAssignments, None]) -> Response:
    """Hands pairs out; 409 where somebody else did meanwhile."""
    body, store, project = call.body, call.context.store, call.project
    request = HandOutRequest(judge_names(body.judges), body.pairs, body.overlap, body.each, body.selection, body.seed)
    plan = plan_hand_out(store, project, request)
    if not body.dry_run:
        keeping(lambda: give_out(store, project, plan))
        call.context.audit(call.me.name, "handed out", project=project.slug, pairs=body.pairs)
    return reply(ApiAssignments(_standing(call), len(plan.dealt), dict(plan.load)))


def _standing(call: ApiRequest[NewAssignments, None] | ApiRequest[None, None]) -> list[JudgeLoad]:
    rows = assignments_answered(call.context.store, call.project)
    return [JudgeLoad(one.judge, one.asked, one.answered, one.left) for one in rows]


def show_round(call: ApiRequest[None, None]) -> Response:
    """Whether the round is closed."""
    return reply(ApiRound(is_closed(call.context.store, call.slug)))


def change_round(call: ApiRequest[NewRound, None]) -> Response:
    """Closes the round, or opens it again. What is so already stays as it is."""
    call.context.change_round(call.slug, call.body.closed, call.me.name, call.body.note)
    return reply(ApiRound(call.body.closed))


def show_results(call: ApiRequest[None, ResultsQuery]) -> Response:
    """The runs measured on what judgments settle to now."""
    store, project, query = call.context.store, call.project, call.query
    runs = {run.name: store.runs.whole(project.slug, run.name) for run in store.runs.all(project.slug)}
    try:
        settled = adjudicate(store.judgments.current(project.slug), project.scale, query.method, name=project.slug)
        at = standing(runs, settled.qrels, query.measures, project.scale.relevant)
    except RankproofError as error:
        raise Problem(422, str(error)) from None
    names = list(at.evaluations)
    baseline = query.baseline or (names[0] if names else "")
    if names and baseline not in names:
        raise Problem(422, f"No run is called {baseline[:80]!r}.", f"There are: {', '.join(names[:20])}.")
    values = {
        name: dict(zip(at.measures, measured_values(one, at.measures), strict=True))
        for name, one in at.evaluations.items()
    }
    contrasts: list[ApiContrast] = []
    for measure in at.measures:
        for name in names:
            comparison = compared(at, baseline, name, measure)
            for one in comparison.contrasts if comparison is not None else ():
                figure = one.difference
                if isinstance(figure, Estimate):
                    numbers = (_real(figure.value), _real(figure.low), _real(figure.high), _real(figure.p_value))
                    contrasts.append(ApiContrast(name, baseline, measure, *numbers, ""))
                else:
                    contrasts.append(ApiContrast(name, baseline, measure, None, None, None, None, figure.reason))
    return reply(
        ApiResults(settled.acts, len(settled.qrels.rows), len(settled.unresolved), values, contrasts, at.left_out)
    )


def _real(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


OPERATIONS = (
    Operation(
        "GET", "/projects/{slug}/steps", "Show the steps of the loop", show_steps, role="reviewer",
        replies={200: ApiSteps},
    ),
    Operation(
        "POST", "/projects/{slug}/files", "Add a file of queries, documents or a run", add_file, role="reviewer",
        body=NewFile, replies={200: ApiUpload}, refusals=(409,),
    ),
    Operation(
        "GET", "/projects/{slug}/assignments", "Show how far judges are", show_assignments, role="reviewer",
        replies={200: ApiAssignments},
    ),
    Operation(
        "POST", "/projects/{slug}/assignments", "Hand pairs out to judges", assign_pairs, role="reviewer",
        body=NewAssignments, replies={200: ApiAssignments}, refusals=(409,),
    ),
    Operation("GET", "/projects/{slug}/round", "Show the round", show_round, replies={200: ApiRound}),
    Operation(
        "PUT", "/projects/{slug}/round", "Close the round or open it again", change_round, role="reviewer",
        body=NewRound, replies={200: ApiRound},
    ),
    Operation(
        "GET", "/projects/{slug}/results", "Measure the runs", show_results, role="reviewer", query=ResultsQuery,
        replies={200: ApiResults},
    ),
)  # fmt: skip
