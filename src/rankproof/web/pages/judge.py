"""Judge: one document at a time, or all of a query; grades by a key, and the last judgment can be withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import UsageError
from rankproof.judging.records import Judgment, Level, Mark, Project
from rankproof.judging.rounds.progress import JudgeAnswer, JudgingProgress
from rankproof.judging.rounds.round import NextPair
from rankproof.judging.store.values import moment
from rankproof.reading.collection import Query
from rankproof.web.api._operations import keeping
from rankproof.web.api.judgments import NewJudgment, act_of
from rankproof.web.api.marks import NewMark
from rankproof.web.context import AppContext, Tab, app_context, project_of
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.problems import Problem
from rankproof.web.render import address, render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

S = TypeVar("S", NewJudgment, NewMark)

# Pairs that a page may ask for at once.
MOST = 20
# Columns that say what the searcher needs; others describe the query and are not for the judge.
_NEEDS = ("description", "desc", "narrative", "narr", "intent", "need", "context")
REASONS = {"cannot_tell": "Cannot tell", "later": "Later"}


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair to look at.

    key      a name for the act of a form that is sent without a script
    answer   what the judge answered, where that is shown
    note     and the note to it
    """

    query: Query
    shown: DocumentView
    again: bool = False
    flag: Mark | None = None
    pick: Mark | None = None
    answer: JudgeAnswer | None = None
    note: str = ""
    key: str = ""

    @property
    def needs(self) -> list[str]:
        """Columns that describe the query beside its text."""
        return [self.query.columns[name] for name in _NEEDS if self.query.columns.get(name, "").strip()]


@dataclass(frozen=True, slots=True)
class Last:
    """The last word of a judge: about which document, and what."""

    name: str
    text: str


def items_of(context: AppContext, project: Project, judge: str, pairs: Sequence[NextPair]) -> list[PairView]:
    """The pairs with everything that is shown of them."""
    store, slug = context.store, project.slug
    queries = {query: store.items.query(slug, query) for query in dict.fromkeys(one.query_id for one in pairs)}
    fields = store.hits.shown(slug, [(one.query_id, one.doc_id) for one in pairs])
    marks = {
        (mark.kind, mark.query_id, mark.doc_id): mark
        for query in queries
        for mark in store.marks.current(slug, judge=judge, query_id=query)
        if not mark.variant
    }
    return [
        PairView(
            queries[one.query_id],
            show_document(
                project.template, one.doc_id, fields.get((one.query_id, one.doc_id)), queries[one.query_id].text
            ),
            one.again,
            marks.get(("flag", one.query_id, one.doc_id)),
            marks.get(("pick", one.query_id, one.doc_id)),
            key=uuid4().hex,
        )
        for one in pairs
    ]


def with_answers(
    items: Sequence[PairView], answers: Sequence[JudgeAnswer | None], held: Sequence[Judgment]
) -> tuple[PairView, ...]:
    """The pairs with the judge's answers."""
    notes = {act.key: act.note for act in held}
    return tuple(
        replace(item, answer=answer, note=notes.get(answer.key, "") if answer is not None else "")
        for item, answer in zip(items, answers, strict=True)
    )


def last_of(context: AppContext, project: Project, judge: str) -> Last | None:
    """The last judgment that can be withdrawn."""
    act = context.store.judgments.last(project.slug, judge)
    if act is None:
        return None
    fields = context.store.items.documents(project.slug, [act.doc_id]).get(act.doc_id)
    return Last(show_document(project.template, act.doc_id, fields, "").name, judgment_text(project, act))


def judgment_text(project: Project, act: Judgment) -> str:
    """A judgment in words: `2 Relevant`, or why there is no grade."""
    if act.grade is None:
        return REASONS.get(act.reason, act.reason)
    label = next((level.label for level in project.scale.levels if level.grade == act.grade), "")
    return f"{act.grade} {label}".strip()


def progress_of(request: Request, project: Project) -> JudgingProgress:
    """How far the one who asks is. The day begins when `day` of the address says, or at midnight UTC."""
    context = app_context(request)
    now = context.now()
    day = now[:10] + "T00:00:00.000000Z"
    with suppress(UsageError, OverflowError):  # a wrong clock somewhere is no reason not to judge
        day = moment(request.query_params.get("day") or day)
    return context.rounds.of(project).progress(account_of(request).name, now, day)


@dataclass(frozen=True, slots=True)
class Key:
    """A grade and the key that gives it; empty where there are more grades than keys."""

    level: Level
    key: str


@dataclass(frozen=True, slots=True)
class JudgePage:
    """One pair, or None where nothing is left."""

    project: Project
    item: PairView | None
    progress: JudgingProgress
    keys: tuple[Key, ...]
    last: Last | None
    guide: bool = False
    title: str = "Judge"


@dataclass(frozen=True, slots=True)
class ListPage:
    """The pairs of a query, and the queries before and after it."""

    project: Project
    items: tuple[PairView, ...]
    query_id: str
    progress: JudgingProgress
    keys: tuple[Key, ...]
    last: Last | None
    place: int
    places: int
    before: str | None
    after: str | None
    guide: bool = False
    title: str = "Judge"


@needs("judge")
def show(request: Request) -> Response:
    """One at a time, or the list of a query."""
    if request.query_params.get("view") == "list":
        return _list(request)
    context, project, me = app_context(request), project_of(request), account_of(request).name
    pairs = context.rounds.next_pairs(project, me, 1, context.clock().timestamp())
    views = items_of(context, project, me, pairs)
    page = JudgePage(
        project,
        views[0] if views else None,
        progress_of(request, project),
        keys_of(project),
        last_of(context, project, me),
        "guide" in request.query_params,
    )
    return render(request, "judge.html", page)


def _list(request: Request) -> Response:
    context, project, me = app_context(request), project_of(request), account_of(request).name
    now = context.clock().timestamp()
    query = request.query_params.get("query", "")
    if not query:
        first = context.rounds.next_pairs(project, me, 1, now)
        query = first[0].query_id if first else ""
    rounds = context.rounds.of(project)
    pairs = rounds.query(me, query, now)
    held = context.store.judgments.current(project.slug, judge=me, query_id=query)
    items = items_of(context, project, me, [pair for pair, _ in pairs])
    every = rounds.queries()
    place = every.index(query) if query in every else -1
    page = ListPage(
        project,
        with_answers(items, [answer for _, answer in pairs], held),
        query,
        progress_of(request, project),
        keys_of(project),
        last_of(context, project, me),
        place + 1,
        len(every),
        every[place - 1] if place > 0 else None,
        every[place + 1] if 0 <= place < len(every) - 1 else None,
        "guide" in request.query_params,
    )
    return render(request, "judge_list.html", page)


@needs("judge")
def items(request: Request) -> Response:
    """The next pairs, for a script: each as it is shown, so that there is one way to show a document."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    text = request.query_params.get("n", "5")
    n = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 5
    pairs = context.rounds.next_pairs(project, me, min(max(n, 1), MOST), context.clock().timestamp())
    return JSONResponse(
        {
            "items": [_item_document(request, project, item) for item in items_of(context, project, me, pairs)],
            "progress": _part(request, "_judge_progress.html", progress=progress_of(request, project)),
        }
    )


@needs("judge")
def save(request: Request) -> Response:
    """Keeps the judgment of a form."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    grade = text_of(request, "grade")
    sent = _read(
        {
            "key": text_of(request, "key"),
            "query_id": text_of(request, "query_id"),
            "doc_id": text_of(request, "doc_id"),
            "grade": int(grade) if grade.lstrip("-").isdigit() and len(grade) < 6 else grade or None,
            "reason": text_of(request, "reason"),
            "note": text_of(request, "note"),
        },
        NewJudgment,
    )
    context.existing.require_pairs(project.slug, {(sent.query_id, sent.doc_id)})
    act = act_of(project, me, sent, context.now())
    keeping(lambda: context.store.judgments.add(project.slug, act))
    return _back(request, project, sent.query_id)


@needs("judge")
def undo(request: Request) -> Response:
    """Withdraws the last judgment; a script gets which one it was."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    last = context.store.judgments.last(project.slug, me)
    if last is not None:
        taken = Judgment(
            uuid4().hex, me, last.query_id, last.doc_id, None, "withdrawn", time=context.now(), withdraws=last.key
        )
        context.store.judgments.add(project.slug, taken)
    if "application/json" not in request.headers.get("accept", ""):
        return _back(request, project, last.query_id if last is not None else "")
    if last is None:
        return JSONResponse({"item": None})
    views = items_of(context, project, me, [NextPair(last.query_id, last.doc_id)])
    return JSONResponse({"item": _item_document(request, project, views[0]), "said": judgment_text(project, last)})


@needs("judge")
def mark(request: Request) -> Response:
    """Flags or picks a document, or takes the flag or pick back."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    kind = text_of(request, "kind")
    sent = _read(
        {
            "key": f"{text_of(request, 'key')}-{kind}",  # one form may flag and pick
            "kind": kind,
            "query_id": text_of(request, "query_id"),
            "doc_id": text_of(request, "doc_id"),
            "reason": text_of(request, "note") if kind == "flag" else "",
            "withdraws": text_of(request, f"{kind}_key") if kind in ("flag", "pick") else "",
        },
        NewMark,
    )
    context.existing.require_pairs(project.slug, {(sent.query_id, sent.doc_id)})
    act = Mark(
        sent.key, sent.kind, me, sent.query_id, sent.doc_id, sent.reason, time=context.now(), withdraws=sent.withdraws
    )
    keeping(lambda: context.store.marks.add(project.slug, act))
    return _back(request, project, sent.query_id)


def keys_of(project: Project) -> tuple[Key, ...]:
    """The key of each grade: its own digit, or its place from 1 where a grade has no digit."""
    levels = project.scale.levels
    if all(0 <= level.grade <= 9 for level in levels):
        return tuple(Key(level, str(level.grade)) for level in levels)
    return tuple(Key(level, str(i) if i <= 9 else "") for i, level in enumerate(levels, 1))


def _item_document(request: Request, project: Project, item: PairView) -> dict[str, str]:
    return {
        "query_id": item.query.query_id,
        "doc_id": item.shown.doc_id,
        "name": item.shown.name,
        "image": item.shown.image,
        "html": _part(request, "_judge_item.html", item=item, project=project),
    }


def _part(request: Request, template: str, **values: object) -> str:
    text = app_context(request).templates.get_template(template).render(**values)
    return text.encode("utf-8", "replace").decode("utf-8")


def _read(fields: dict[str, object], kind: type[S]) -> S:
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise Problem(422, f"{error}.", "Go back, load the page again and send it from there.") from None


def _back(request: Request, project: Project, query_id: str) -> Response:
    listed = text_of(request, "view") == "list"
    path = f"/p/{project.slug}/judge"
    return RedirectResponse(address(path, view="list", query=query_id or None) if listed else path, 303)


ROUTES = (
    Route("/p/{slug}/judge", show, methods=["GET"]),
    Route("/p/{slug}/judge", save, methods=["POST"]),
    Route("/p/{slug}/judge/items", items, methods=["GET"]),
    Route("/p/{slug}/judge/undo", undo, methods=["POST"]),
    Route("/p/{slug}/judge/mark", mark, methods=["POST"]),
)
TABS = (Tab("Judge", "/p/{slug}/judge", role="judge", place=10),)
