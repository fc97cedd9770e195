"""Queries and documents: what is judged. Once there they stay as they are."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.reading import collection
from rankproof.web.api._operations import Added, ApiRequest, Id, Operation, Paged, Short, Text, keeping, reply

_Columns = Annotated[dict[Short, Text], Meta(max_length=100)]


class ApiQuery(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody searches for, and what is known about it."""

    query_id: Id
    text: Text
    columns: _Columns = msgspec.field(default_factory=dict)


class ApiQueries(msgspec.Struct):
    """A part of the queries, and how many there are."""

    queries: list[ApiQuery]
    total: int


class NewQueries(msgspec.Struct, forbid_unknown_fields=True):
    """Queries to add."""

    queries: Annotated[list[ApiQuery], Meta(min_length=1, max_length=500)]


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """A document: texts by the names of its fields."""

    doc_id: Id
    fields: _Columns


class ApiDocuments(msgspec.Struct):
    """Documents that are there, in the order asked."""

    documents: list[Document]


class NewDocuments(msgspec.Struct, forbid_unknown_fields=True):
    """Documents to add."""

    documents: Annotated[list[Document], Meta(min_length=1, max_length=500)]


class DocumentIds(msgspec.Struct, forbid_unknown_fields=True):
    """Which documents."""

    doc_id: Annotated[list[Id], Meta(min_length=1, max_length=100, description="May be repeated.")]


def list_queries(call: ApiRequest[None, Paged]) -> Response:
    """The queries, in the order they were added."""
    every = call.context.store.items.queries(call.slug)
    part = [ApiQuery(q.query_id, q.text, dict(q.columns)) for q in call.query.part(every)]
    return reply(ApiQueries(part, len(every)))


def add_queries(call: ApiRequest[NewQueries, None]) -> Response:
    """Adds queries, all or none; 409 where one is there with other content."""
    queries = [collection.Query(q.query_id, q.text, q.columns) for q in call.body.queries]
    added = keeping(lambda: call.context.store.items.add_queries(call.slug, queries))
    return reply(Added(added, len(queries) - added))


def get_documents(call: ApiRequest[None, DocumentIds]) -> Response:
    """Documents by their ids; those that are not there are left out."""
    stored = call.context.store.items.documents(call.slug, call.query.doc_id)
    return reply(ApiDocuments([Document(doc, fields) for doc, fields in stored.items()]))


def add_documents(call: ApiRequest[NewDocuments, None]) -> Response:
    """Adds documents, all or none; 409 where one is there with other content."""
    documents = [(d.doc_id, d.fields) for d in call.body.documents]
    added = keeping(lambda: call.context.store.items.add_documents(call.slug, documents))
    return reply(Added(added, len(documents) - added))


OPERATIONS = (
    Operation("GET", "/projects/{slug}/queries", "List queries", list_queries, query=Paged, replies={200: ApiQueries}),
    Operation(
        "POST",
        "/projects/{slug}/queries",
        "Add queries",
        add_queries,
        role="admin",
        body=NewQueries,
        replies={200: Added},
        refusals=(409,),
    ),
    Operation(
        "GET",
        "/projects/{slug}/documents",
        "Get documents",
        get_documents,
        query=DocumentIds,
        replies={200: ApiDocuments},
    ),
    Operation(
        "POST",
        "/projects/{slug}/documents",
        "Add documents",
        add_documents,
        role="admin",
        body=NewDocuments,
        replies={200: Added},
        refusals=(409,),
    ),
)
