"""Qrels: the grades that the judgments settle to, by an adjudication; the same acts give the same grades."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.errors import UsageError
from rankproof.judging.adjudicate import DEFAULT, Adjudicated, adjudicate
from rankproof.kernel import shelf
from rankproof.reading.write import pieces
from rankproof.web.api._operations import ApiRequest, Operation, reply
from rankproof.web.problems import Problem


class How(msgspec.Struct, forbid_unknown_fields=True):
    """How grades are settled, and whose count."""

    method: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="An adjudication, such as settled, majority or trusted(judges=['ann']).",
        ),
    ] = DEFAULT
    source: Annotated[
        list[Literal["person", "model", "clicks"]],
        Meta(min_length=1, max_length=3, description="Whose judgments count; may be repeated."),
    ] = msgspec.field(default_factory=lambda: ["person"])


class ApiQrels(msgspec.Struct):
    """Settled grades by query and document; the hashes of the acts that counted and of the grades."""

    method: str
    sources: list[str]
    acts_sha256: str
    qrels_sha256: str
    unresolved: int
    qrels: dict[str, dict[str, int]]


class ApiLines(msgspec.Struct):
    """Lines of a TREC qrels file."""


def export_qrels(call: ApiRequest[None, How]) -> Response:
    """The settled grades as JSON."""
    settled = _settled(call)
    grades: dict[str, dict[str, int]] = {}
    for pair in settled.pairs:
        if pair.grade is not None:
            grades.setdefault(pair.query_id, {})[pair.doc_id] = pair.grade
    return reply(
        ApiQrels(
            settled.method,
            list(settled.sources),
            settled.acts,
            settled.qrels.content_hash,
            len(settled.unresolved),
            grades,
        )
    )


def export_qrels_trec(call: ApiRequest[None, How]) -> Response:
    """The settled grades as a TREC file; 422 where an id holds white space, which such a file cannot."""
    content = b"".join(pieces(_settled(call).qrels, shelf.find("formats", "trec")))
    return Response(content, media_type="text/plain")


def _settled(call: ApiRequest[None, How]) -> Adjudicated:
    query, project = call.query, call.project
    try:
        settled = adjudicate(
            call.context.store.judgments.current(project.slug),
            project.scale,
            query.method,
            sources=tuple(query.source),
            name=project.slug,
        )
    except UsageError as error:
        raise Problem(422, str(error)) from None
    call.context.audit(call.me.name, "export", project=project.slug, what="qrels", method=settled.method)
    return settled


OPERATIONS = (
    Operation(
        "GET",
        "/projects/{slug}/qrels",
        "Export qrels",
        export_qrels,
        others=True,
        query=How,
        replies={200: ApiQrels},
    ),
    Operation(
        "GET",
        "/projects/{slug}/qrels.trec",
        "Export qrels as a TREC file",
        export_qrels_trec,
        others=True,
        query=How,
        replies={200: ApiLines},
        media="text/plain",
    ),
)
