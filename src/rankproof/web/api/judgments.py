"""Judgments: grades, or a reason for having none. Judges give their own; nobody gives another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.errors import UsageError
from rankproof.judging import records as judging
from rankproof.judging.records import PERSON, Project
from rankproof.judging.store.store import Store
from rankproof.judging.suggestions import source_of_grade
from rankproof.web.api._operations import (
    Added,
    ApiRequest,
    Id,
    Key,
    Note,
    Operation,
    Paged,
    Saved,
    Short,
    Withdrawn,
    keeping,
    reply,
)
from rankproof.web.problems import Problem
from rankproof.web.security.independence import refuse_closed, seen_judge

_Reason = Literal["", "cannot_tell", "later", "withdrawn"]


class NewJudgment(msgspec.Struct, forbid_unknown_fields=True):
    """A grade, or the reason for having none: cannot_tell, later, or withdrawn with the act that is taken back."""

    key: Key
    query_id: Id
    doc_id: Id
    grade: Annotated[int, Meta(ge=-1000, le=1000)] | None = None
    reason: _Reason = ""
    note: Note = ""
    withdraws: Withdrawn = ""
    suggestion: Annotated[Short, Meta(description="The key of the model's grade that was in view, where one was.")] = ""


class NewJudgments(msgspec.Struct, forbid_unknown_fields=True):
    """Judgments to add together."""

    judgments: Annotated[list[NewJudgment], Meta(min_length=1, max_length=500)]


class ApiSource(msgspec.Struct):
    """Where a grade comes from: a person, a model (by version and the hashes of prompt and settings), or clicks."""

    kind: Literal["person", "model", "clicks"]
    version: str
    prompt: str
    settings: str


class ApiJudgment(msgspec.Struct):
    """What a judge said about a document for a query."""

    key: str
    judge: str
    query_id: str
    doc_id: str
    grade: int | None
    reason: _Reason
    note: str
    time: str
    source: ApiSource
    withdraws: str


class ApiJudgments(msgspec.Struct):
    """A part of the judgments, and how many there are."""

    judgments: list[ApiJudgment]
    total: int


class JudgmentFilter(Paged, kw_only=True):
    """Which judgments."""

    judge: Short | None = None
    query_id: Id | None = None
    doc_id: Id | None = None
    history: Annotated[bool, Meta(description="Every act, not only what holds now.")] = False


def list_judgments(call: ApiRequest[None, JudgmentFilter]) -> Response:
    """What holds now, or every act, in the order given. Until the round is closed judges see their own."""
    query, judgments = call.query, call.context.store.judgments
    judge = seen_judge(call.request, query.judge)
    acts = (judgments.history if query.history else judgments.current)(
        call.slug, judge=judge, query_id=query.query_id, doc_id=query.doc_id
    )
    part = [msgspec.convert(act, ApiJudgment, from_attributes=True) for act in query.part(acts)]
    return reply(ApiJudgments(part, len(acts)))


def add_judgment(call: ApiRequest[NewJudgment, None]) -> Response:
    """Keeps one; it is on the disk when the answer comes. 201 at first, 200 when the same key comes again."""
    acts = _acts(call, [call.body])
    added = keeping(lambda: call.context.store.judgments.add(call.slug, acts[0]))
    return reply(Saved(call.body.key, added), 201 if added else 200)


def add_judgments(call: ApiRequest[NewJudgments, None]) -> Response:
    """Keeps up to 500, all or none."""
    acts = _acts(call, call.body.judgments)
    added = keeping(lambda: call.context.store.judgments.add_many(call.slug, acts))
    return reply(Added(added, len(acts) - added))


def _acts(
    call: ApiRequest[NewJudgment, None] | ApiRequest[NewJudgments, None], bodies: Sequence[NewJudgment]
) -> list[judging.Judgment]:
    """The acts of who asks; an error where one does not fit the project."""
    project, now = call.project, call.context.now()
    refuse_closed(project)
    call.context.existing.require_pairs(project.slug, {(one.query_id, one.doc_id) for one in bodies})
    return [act_of(call.context.store, project, call.me.name, one, now) for one in bodies]


def act_of(store: Store, project: Project, judge: str, body: NewJudgment, now: str) -> judging.Judgment:
    """The act that somebody sent; an error where the scale does not have its grade, or nothing holds it together."""
    pair = body.query_id, body.doc_id
    source = PERSON if body.grade is None else source_of_grade(store, project, judge, pair, body.suggestion)
    if body.grade is not None and body.grade not in project.scale.grades:
        possible = ", ".join(map(str, project.scale.grades))
        raise Problem(422, f"The scale has no grade {body.grade}.", f"It has: {possible}.")
    try:
        return judging.Judgment(
            body.key,
            judge,
            body.query_id,
            body.doc_id,
            body.grade,
            body.reason,
            body.note,
            now,
            source,
            withdraws=body.withdraws,
        )
    except UsageError as error:
        raise Problem(422, str(error)) from None


OPERATIONS = (
    Operation(
        "GET",
        "/projects/{slug}/judgments",
        "List judgments",
        list_judgments,
        query=JudgmentFilter,
        replies={200: ApiJudgments},
    ),
    Operation(
        "POST",
        "/projects/{slug}/judgments",
        "Judge",
        add_judgment,
        role="judge",
        body=NewJudgment,
        replies={201: Saved, 200: Saved},
        refusals=(409,),
    ),
    Operation(
        "POST",
        "/projects/{slug}/judgments/batch",
        "Judge many",
        add_judgments,
        role="judge",
        body=NewJudgments,
        replies={200: Added},
        refusals=(409,),
    ),
)
