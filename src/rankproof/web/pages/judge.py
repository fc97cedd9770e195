"""Judge: one document at a time, or all of a query; grades by a key, and the last judgment can be withdrawn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import UsageError
from rankproof.judging.records import Judgment, Level, Mark, Project
from rankproof.judging.rounds.progress import JudgingProgress
from rankproof.judging.rounds.round import NextPair
from rankproof.judging.store.values import moment
from rankproof.web.api._operations import keeping
from rankproof.web.api.judgments import NewJudgment, act_of
from rankproof.web.api.marks import NewMark
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.pages._judge_view import (
    Last,
    PairView,
    RecentJudgment,
    items_of,
    judged_of,
    judgment_text,
    last_of,
    recent_of,
    with_answers,
)
from rankproof.web.problems import Problem
from rankproof.web.render import address, render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.independence import refuse_closed
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

S = TypeVar("S", NewJudgment, NewMark)

# Pairs that a page may ask for at once.
MOST = 20
# Judgments after which what the grades mean is folded away: by then it is known, and the document gets the room.
FOLDED_AFTER = 5


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
    recent: tuple[RecentJudgment, ...] | None = None
    title: str = "Judge"

    @property
    def folded(self) -> bool:
        """Whether what the grades mean is folded away."""
        return self.progress.mine >= FOLDED_AFTER


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
    if request.query_params.get("view") == "list" and not project_of(request).closed:
        return _list(request)
    context, project, me = app_context(request), project_of(request), account_of(request).name
    item = judged_of(request, project)
    if item is None:
        now = context.clock().timestamp()
        pairs = [] if project.closed else context.rounds.next_pairs(project, me, 1, now)
        item = next(iter(items_of(context, project, me, pairs)), None)
    page = JudgePage(
        project,
        item,
        progress_of(request, project),
        keys_of(project),
        last_of(context, project, me),
        "guide" in request.query_params,
        recent_of(context, project, me) if "recent" in request.query_params else None,
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
    pairs = context.rounds.query(project, me, query, now)
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
    if "doc" in request.query_params:
        judged = judged_of(request, project)
        return JSONResponse({"item": None if judged is None else _item_document(request, project, judged)})
    text = request.query_params.get("n", "5")
    n = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 5
    now = context.clock().timestamp()
    pairs = [] if project.closed else context.rounds.next_pairs(project, me, min(max(n, 1), MOST), now)
    return JSONResponse(
        {
            "items": [_item_document(request, project, item) for item in items_of(context, project, me, pairs)],
            "progress": _part(request, "_judge_progress.html", progress=progress_of(request, project)),
        }
    )


@needs("judge")
def recent(request: Request) -> Response:
    """The last judgments of who asks, as the page shows them."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    judged = recent_of(context, project, me)
    return JSONResponse({"html": _part(request, "_judge_recent.html", recent=judged, project=project)})


@needs("judge")
def save(request: Request) -> Response:
    """Keeps the judgment of a form."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    refuse_closed(project)
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
    act = act_of(context.store, project, me, sent, context.now())
    keeping(lambda: context.store.judgments.add(project.slug, act))
    return _back(request, project, sent.query_id)


@needs("judge")
def undo(request: Request) -> Response:
    """Withdraws the last judgment; a script gets which one it was."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    refuse_closed(project)
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
    Route("/p/{slug}/judge/recent", recent, methods=["GET"]),
    Route("/p/{slug}/judge/undo", undo, methods=["POST"]),
    Route("/p/{slug}/judge/mark", mark, methods=["POST"]),
)
TABS = (Tab("Judge", "/p/{slug}/judge", role="judge", place=10),)
