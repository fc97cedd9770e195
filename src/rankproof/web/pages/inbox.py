"""Inbox: flags, cannot-tells, disagreements, models against people and gold misses; settled here, or dismissed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.inbox import (
    INBOX_STATES,
    KIND_NAMES,
    InboxAct,
    InboxFilter,
    InboxItem,
    InboxList,
    InboxState,
    list_inbox,
    resolve_item,
)
from rankproof.judging.records import Project
from rankproof.judging.store.inbox import INBOX_KINDS, InboxKind
from rankproof.judging.store.loop import ResolutionAct
from rankproof.web.api._operations import keeping
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.problems import Problem
from rankproof.web.render import address, render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

# Items on one page.
AT_ONCE = 25
_ASKED = ("kind", "judge", "q", "query", "state", "from")


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item with its document, and a key for the act of its form."""

    item: InboxItem
    document: DocumentView
    key: str


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A part of the items, the filter as it was asked, and addresses for others."""

    project: Project
    items: tuple[ShownItem, ...]
    list: InboxList
    wanted: InboxFilter
    kind: str
    start: int
    names: Mapping[InboxKind, tuple[str, str]]
    query: dict[str, str | None]
    step: int = AT_ONCE
    states: tuple[InboxState, ...] = INBOX_STATES
    title: str = "Inbox"

    @property
    def waiting(self) -> int:
        """How many wait in all."""
        return sum(self.list.waiting.values())


@needs("reviewer")
def show(request: Request) -> Response:
    """The list."""
    store, project = app_context(request).store, project_of(request)
    wanted, start = _filter(request), _start(request)
    found = list_inbox(store, project, wanted, offset=start, limit=AT_ONCE)
    fields = store.items.documents(project.slug, [one.row.doc_id for one in found.items])
    shown = tuple(
        ShownItem(
            one, show_document(project.template, one.row.doc_id, fields.get(one.row.doc_id), one.query), uuid4().hex
        )
        for one in found.items
    )
    kind = wanted.kinds[0] if len(wanted.kinds) == 1 else ""
    asked: dict[str, str | None] = {name: request.query_params.get(name) or None for name in _ASKED if name != "from"}
    return render(request, "inbox.html", InboxPage(project, shown, found, wanted, kind, start, KIND_NAMES, asked))


@needs("reviewer")
def resolve(request: Request) -> Response:
    """Records what somebody does about an item."""
    context, project, account = app_context(request), project_of(request), account_of(request)
    do, key = text_of(request, "do"), text_of(request, "key")
    grade: int | None = None
    if do.startswith("grade:"):
        if do not in {f"grade:{level.grade}" for level in project.scale.levels}:
            raise Problem(422, f"The scale has no grade {do[6:46]!r}.")
        do, grade = "settled", int(do[6:])
    if do not in ("settled", "dismissed", "reopened") or not 8 <= len(key) <= 40:
        raise Problem(422, "The form is not whole.", "Go back, load the page again and send it from there.")
    act = cast(ResolutionAct, do)
    doing = InboxAct(
        text_of(request, "item"), text_of(request, "query_id"), text_of(request, "doc_id"), act,
        text_of(request, "note"), grade, key,
    )  # fmt: skip
    item = keeping(lambda: resolve_item(context.store, project, doing, account))
    context.audit(
        account.name, f"inbox {do}", project=project.slug, kind=item.row.kind, query=item.row.query_id,
        document=item.row.doc_id, grade=grade,
    )  # fmt: skip
    asked = {name: request.query_params.get(name) or None for name in _ASKED}
    return RedirectResponse(address(f"/p/{project.slug}/inbox", **asked), 303)


def _filter(request: Request) -> InboxFilter:
    asked = request.query_params
    kind, state = asked.get("kind", ""), asked.get("state", "open")
    if kind and kind not in INBOX_KINDS:
        raise Problem(422, f"No kind of item is called {kind[:40]!r}.", f"There are: {', '.join(INBOX_KINDS)}.")
    if state not in INBOX_STATES:
        raise Problem(422, f"Items are open, resolved or all; got {state[:40]!r}.")
    kinds = tuple(one for one in INBOX_KINDS if not kind or one == kind)
    return InboxFilter(kinds, asked.get("judge", "")[:200], asked.get("q", "")[:200], asked.get("query", ""), state)


def _start(request: Request) -> int:
    text = request.query_params.get("from", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


ROUTES = (
    Route("/p/{slug}/inbox", show, methods=["GET"]),
    Route("/p/{slug}/inbox", resolve, methods=["POST"]),
)
TABS = (Tab("Inbox", "/p/{slug}/inbox", role="reviewer", place=35),)
