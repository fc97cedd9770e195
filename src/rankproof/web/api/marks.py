"""Marks: flags on results that look wrong, and picks of the one that one would choose."""

from __future__ import annotations

from typing import Literal

import msgspec
from starlette.responses import Response

from rankproof.judging import records as judging
from rankproof.web.api._operations import (
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
from rankproof.web.security.independence import seen_judge

_Kind = Literal["flag", "pick"]


class NewMark(msgspec.Struct, forbid_unknown_fields=True):
    """A flag with its reason, or a pick; `variant` is the ranking in which the result was seen."""

    key: Key
    kind: _Kind
    query_id: Id
    doc_id: Id
    reason: Note = ""
    note: Note = ""
    variant: Short = ""
    withdraws: Withdrawn = ""


class ApiMark(NewMark, kw_only=True):
    """A mark and who made it."""

    judge: str
    time: str


class ApiMarks(msgspec.Struct):
    """A part of the marks, and how many there are."""

    marks: list[ApiMark]
    total: int


class MarkFilter(Paged, kw_only=True):
    """Which marks."""

    kind: _Kind | None = None
    judge: Short | None = None
    query_id: Id | None = None


def list_marks(call: ApiRequest[None, MarkFilter]) -> Response:
    """The marks that hold now, in the order given. Until the round is closed judges see their own."""
    query, judge = call.query, seen_judge(call.request, call.query.judge)
    marks = call.context.store.marks.current(call.slug, kind=query.kind, judge=judge, query_id=query.query_id)
    part = [msgspec.convert(act, ApiMark, from_attributes=True) for act in query.part(marks)]
    return reply(ApiMarks(part, len(marks)))


def add_mark(call: ApiRequest[NewMark, None]) -> Response:
    """Keeps a mark. 201 at first, 200 when the same key comes again."""
    body, slug = call.body, call.slug
    call.context.existing.require_query(slug, body.query_id)
    act = mark_of(call.me.name, body, call.context.now())
    added = keeping(lambda: call.context.store.marks.add(slug, act))
    return reply(Saved(body.key, added), 201 if added else 200)


def mark_of(judge: str, body: NewMark, now: str) -> judging.Mark:
    """What was sent, as the act of a judge."""
    return judging.Mark(
        body.key,
        body.kind,
        judge,
        body.query_id,
        body.doc_id,
        body.reason,
        body.note,
        body.variant,
        now,
        body.withdraws,
    )


OPERATIONS = (
    Operation(
        "GET", "/projects/{slug}/marks", "List flags and picks", list_marks, query=MarkFilter, replies={200: ApiMarks}
    ),
    Operation(
        "POST",
        "/projects/{slug}/marks",
        "Flag or pick",
        add_mark,
        role="judge",
        body=NewMark,
        replies={201: Saved, 200: Saved},
        refusals=(409,),
    ),
)
