"""Inbox: what a reviewer has to look at, and what became of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.judging.inbox import InboxAct, InboxFilter, list_inbox, resolve_item
from rankproof.judging.store.inbox import INBOX_KINDS
from rankproof.web.api._operations import ApiRequest, Id, Key, Note, Operation, Paged, Short, keeping, reply

_Kind = Literal["flag", "cannot_tell", "disagreement", "model", "gold"]
_Act = Literal["settled", "dismissed", "reopened"]
_Item = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The name of the item, as the list has it.")]


class ItemVote(msgspec.Struct):
    """What somebody gave a pair. `source` is person, settling, or a model's version."""

    judge: str
    source: str
    grade: int | None


class ItemResolution(msgspec.Struct):
    """What became of an item, by whom, and why."""

    act: _Act
    by: str
    note: str
    time: str


class ApiInboxItem(msgspec.Struct):
    """Something to look at. `other` stands against `grade`: the greatest, the people's nearest, or the known one."""

    item: str
    kind: _Kind
    judge: str
    query_id: str
    query: str
    doc_id: str
    grade: int | None
    other: int | None
    reason: str
    note: str
    votes: list[ItemVote]
    resolution: ItemResolution | None


class ApiInbox(msgspec.Struct):
    """A part of the items, how many there are, how many wait by kind, and the judges that they are about."""

    items: list[ApiInboxItem]
    total: int
    waiting: dict[str, int]
    judges: list[str]


class InboxQuery(Paged, kw_only=True):
    """Which items; `q` are words of the query, the document's id, the reason or the note."""

    kind: _Kind | None = None
    judge: Short | None = None
    q: Short | None = None
    query_id: Id | None = None
    state: Literal["open", "resolved", "all"] = "open"


class NewResolution(msgspec.Struct, forbid_unknown_fields=True):
    """What to do about an item. Settling gives the grade; dismissing says in the note why."""

    key: Key
    item: _Item
    query_id: Id
    doc_id: Id
    act: _Act
    note: Note = ""
    grade: Annotated[int, Meta(ge=-1000, le=1000)] | None = None


def list_items(call: ApiRequest[None, InboxQuery]) -> Response:
    """The items, the newest first."""
    query = call.query
    kinds = tuple(kind for kind in INBOX_KINDS if query.kind in (None, kind))
    wanted = InboxFilter(kinds, query.judge or "", query.q or "", query.query_id or "", query.state)
    found = list_inbox(call.context.store, call.project, wanted, offset=query.offset, limit=query.limit)
    return reply(msgspec.convert(found.to_dict(), ApiInbox))


def resolve_inbox_item(call: ApiRequest[NewResolution, None]) -> Response:
    """Settles an item, dismisses it, or opens it again; 409 where somebody was faster."""
    body = call.body
    doing = InboxAct(body.item, body.query_id, body.doc_id, body.act, body.note, body.grade, body.key)
    item = keeping(lambda: resolve_item(call.context.store, call.project, doing, call.me))
    call.context.audit(
        call.me.name, f"inbox {body.act}", project=call.slug, kind=item.row.kind, query=body.query_id,
        document=body.doc_id, grade=body.grade,
    )  # fmt: skip
    return reply(msgspec.convert(item.to_dict(), ApiInboxItem))


OPERATIONS = (
    Operation(
        "GET", "/projects/{slug}/inbox", "List what waits for a reviewer", list_items, role="reviewer",
        query=InboxQuery, replies={200: ApiInbox},
    ),
    Operation(
        "POST", "/projects/{slug}/inbox", "Settle, dismiss or reopen an item", resolve_inbox_item, role="reviewer",
        body=NewResolution, replies={200: ApiInboxItem}, refusals=(409,),
    ),
)  # fmt: skip
