"""Transfer: judgments in and out, in every format; what does not fit comes back as findings, and nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankproof.errors import RankproofError, Refused
from rankproof.judging.files import ACTS_SCHEMA, KINDS, ActFile, read_any, takeable, to_body, to_csv
from rankproof.judging.records import JudgmentSource, Project
from rankproof.judging.store.store import give, take
from rankproof.kernel import shelf
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.version import __version__
from rankproof.reading.finding import Finding
from rankproof.reading.formats.contract import Format
from rankproof.reading.source import open_source, packing_of
from rankproof.reading.write import format_for, pieces
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.pages._method import Method, method_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.csrf import form_of, text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

# Bytes of a file, and findings that are shown.
LARGEST, MOST_FINDINGS = 64 << 20, 50
FIELDS = ("judge", "source", "version", "format")


@dataclass(frozen=True, slots=True)
class Taken:
    """What was imported."""

    file: str
    kind: str
    added: int
    there: int
    left_out: int


@dataclass(frozen=True, slots=True)
class TransferPage:
    """The forms; after an import what was taken, or why nothing was."""

    project: Project
    method: Method
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    sizes: dict[str, int]
    fields: dict[str, str]
    taken: Taken | None = None
    problem: Problem | None = None
    findings: tuple[Finding, ...] = ()
    largest: int = LARGEST >> 20
    title: str = "Transfer"


@needs("viewer", others=True)
def show(request: Request) -> Response:
    """The forms."""
    return render(request, "transfer.html", _page(request))


@needs("admin")
def import_(request: Request) -> Response:
    """Adds the judgments of a file, all of them or none."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    try:
        read = _read(request)
        queries = {query.query_id for query in context.store.items.queries(project.slug)}
        acts = takeable(read, project, queries)
        added = take(context.store, project.slug, read.kind, acts)
    except (Problem, RankproofError) as error:
        problem = understood(error)
        if problem is None:
            raise
        findings = error.findings[:MOST_FINDINGS] if isinstance(error, Refused) else ()
        page = _page(request, problem=problem, findings=findings)
        return render(request, "transfer.html", page, problem.status)
    context.audit(me, "import", project=project.slug, file=read.source, what=read.kind, added=added)
    taken = Taken(read.source, read.kind, added, len(acts) - added, len(read.acts) - len(acts))
    return render(request, "transfer.html", _page(request, taken=taken))


def _read(request: Request) -> ActFile:
    upload = form_of(request).get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise Problem(422, "No file was chosen.", "Choose a file with judgments.")
    content = upload.file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Problem(413, f"The file has more than {LARGEST:,} bytes.", "Use: rankproof judgments import")
    if packing_of(content[:10]) is not None:
        # A small file may unpack to one that no memory holds.
        raise Problem(422, "Compressed files are not taken here.", "Unpack it first.")
    kind: Any = text_of(request, "source", "person")
    if kind not in ("person", "model", "clicks"):
        raise Problem(422, f"No source is called {kind[:40]!r}.", "There are: person, model, clicks.")
    form = text_of(request, "format")
    if form and form not in _readable():
        raise Problem(422, f"No format for qrels is called {form[:40]!r}.", f"There are: {', '.join(_readable())}.")
    source = JudgmentSource(kind, text_of(request, "version").strip()[:200])
    what = open_source(content, upload.filename[:200])
    return read_any(what, text_of(request, "judge").strip()[:200], source, form or None)


@needs("viewer", others=True)
def qrels(request: Request) -> Response:
    """The settled grades as a file."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    method = method_of(request)
    form: Format = format_for("", "qrels", request.query_params.get("format", "trec"))
    settled = method.settle(context.store.judgments.current(project.slug), project)
    if not settled.qrels.rows:
        raise Problem(422, "Nothing is settled in this way, so there are no qrels.", "Judge, or choose another way.")
    content = b"".join(pieces(settled.qrels, form))
    context.audit(me, "export", project=project.slug, what="qrels", format=form.name, method=settled.method)
    return _file(content, qrels_name(project.slug, form), "application/octet-stream")


def qrels_name(slug: str, form: Format) -> str:
    """What a file of qrels is called: by an ending that says qrels where the format has one, never by one for runs."""
    if ".qrels" in form.endings:
        return f"{slug}.qrels"
    return f"{slug}.qrels{form.endings[0] if form.endings else f'.{form.name}'}"


@needs("viewer", others=True)
def acts(request: Request) -> Response:
    """Acts of judges as a file."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    what = next((kind for kind in KINDS if kind == request.query_params.get("what", "judgments")), None)
    form = request.query_params.get("format", "csv")
    if what is None or form not in ("csv", "json"):
        raise Problem(422, "Only judgments, flags, picks and preferences can be written, as csv or json.")
    history = request.query_params.get("history") == "1"
    rows = give(context.store, project.slug, what, history)
    if form == "csv":
        text = to_csv(what, rows)
    else:
        body = {"rankproof": __version__, "schema": ACTS_SCHEMA, **to_body(what, rows, project.slug)}
        text = to_json(body, indent=2) + "\n"
    context.audit(me, "export", project=project.slug, what=what, format=form, history=history)
    kind = "text/csv" if form == "csv" else "application/json"
    return _file(text.encode("utf-8", "replace"), f"{project.slug}.{what}.{form}", kind)


def _readable() -> tuple[str, ...]:
    """Formats of files with qrels; a name for a collection that is somewhere else is none."""
    forms: list[Format] = list(shelf.everything("formats").values())
    return tuple(form.name for form in forms if "qrels" in form.holds and not form.prefix)


def _file(content: bytes, name: str, kind: str) -> Response:
    # The name is made of a slug, a known word and an ending: letters, digits, - and _ .
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _page(request: Request, **more: Any) -> TransferPage:
    store, project = app_context(request).store, project_of(request)
    forms: list[Format] = list(shelf.everything("formats").values())
    held = store.judgments.current(project.slug)
    judges = sorted({act.judge for act in held if act.source.kind == "person"})
    marks = store.marks.current(project.slug)
    sizes = {
        "judgments": len(held),
        "flags": sum(mark.kind == "flag" for mark in marks),
        "picks": sum(mark.kind == "pick" for mark in marks),
        "preferences": len(store.preferences.current(project.slug)),
    }
    return TransferPage(
        project,
        method_of(request, judges),
        _readable(),
        tuple(form.name for form in forms if "qrels" in form.writes),
        sizes,
        {name: text_of(request, name) for name in FIELDS},
        **more,
    )


ROUTES = (
    Route("/p/{slug}/transfer", show, methods=["GET"]),
    Route("/p/{slug}/transfer", import_, methods=["POST"]),
    Route("/p/{slug}/transfer/qrels", qrels, methods=["GET"]),
    Route("/p/{slug}/transfer/acts", acts, methods=["GET"]),
)
TABS = (Tab("Transfer", "/p/{slug}/transfer", place=50, others=True),)
