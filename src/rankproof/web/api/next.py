"""Next: the pair that the one who asks should judge now: the one that the page of judging shows."""

from __future__ import annotations

from typing import Literal

import msgspec
from starlette.responses import Response

from rankproof.web.api._operations import ApiRequest, Operation, reply
from rankproof.web.api.items import ApiQuery, Document


class Next(msgspec.Struct):
    """A pair to judge, or null where nothing is left; how many pairs I judged or may still get, and how many I judged.

    `document` is null where only its id is known. `nothing` says why there is no pair: nothing is assigned to me, I
    have answered everything, or others are at work on the rest.
    """

    query: ApiQuery | None
    doc_id: str | None
    document: Document | None
    asked: int
    answered: int
    nothing: Literal["", "not_assigned", "done", "with_others"] = ""


def next_to_judge(call: ApiRequest[None, None]) -> Response:
    """The next pair for me, by what was handed out or by the selection of the project; it is mine for a while."""
    context, slug, me, project = call.context, call.slug, call.me.name, call.project
    pairs = context.rounds.next_pairs(project, me, 1, context.clock().timestamp())
    progress = context.rounds.of(project).progress(me, context.now(), context.now())
    counts = (progress.mine + progress.left, progress.mine)
    if not pairs:
        nothing: Literal["not_assigned", "with_others", "done"]
        nothing = "not_assigned" if not progress.assigned else "with_others" if progress.left else "done"
        return reply(Next(None, None, None, *counts, nothing))
    query = context.store.items.query(slug, pairs[0].query_id)
    fields = context.store.items.documents(slug, [pairs[0].doc_id]).get(pairs[0].doc_id)
    document = None if fields is None else Document(pairs[0].doc_id, fields)
    shown_query = ApiQuery(query.query_id, query.text, dict(query.columns))
    return reply(Next(shown_query, pairs[0].doc_id, document, *counts))


OPERATIONS = (
    Operation(
        "GET",
        "/projects/{slug}/next",
        "What to judge next",
        next_to_judge,
        role="judge",
        replies={200: Next},
        refusals=(422,),  # a selection that this version does not have
    ),
)
