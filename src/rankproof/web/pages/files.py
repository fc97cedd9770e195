"""Files of a project: queries, documents and runs, each from one file; whole, or refused with the reader's reason."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankproof.errors import RankproofError, Refused
from rankproof.judging.records import Project
from rankproof.judging.store.items import StoredRun
from rankproof.judging.uploads import (
    DEEPEST,
    DEPTH,
    UPLOAD_KINDS,
    UploadKind,
    UploadSummary,
    plain_name,
    take_upload,
    uploaded,
)
from rankproof.kernel import shelf
from rankproof.reading.finding import Finding
from rankproof.reading.formats.contract import Format
from rankproof.reading.source import Source
from rankproof.web.context import AppContext, app_context, project_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.csrf import form_of, text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

LARGEST, MOST_FINDINGS = 256 << 20, 50
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class FilesPage:
    """What is there, the form as it was sent, and what came of it."""

    project: Project
    queries: int
    documents: int
    runs: tuple[StoredRun, ...]
    formats: tuple[str, ...]
    fields: dict[str, str]
    taken: UploadSummary | None = None
    problem: Problem | None = None
    findings: tuple[Finding, ...] = ()
    largest: int = LARGEST >> 20
    deepest: int = DEEPEST
    title: str = "Files"


def upload_formats() -> tuple[str, ...]:
    """Formats of files with a run or topics; a name for a collection that is somewhere else is none."""
    forms: list[Format] = list(shelf.everything("formats").values())
    return tuple(form.name for form in forms if {"run", "topics"} & set(form.holds) and not form.prefix)


@needs("reviewer")
def show(request: Request) -> Response:
    """The form."""
    return render(request, "files.html", _page(request))


@needs("reviewer")
def upload(request: Request) -> Response:
    """Adds what a file has, all of it or nothing."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    try:
        with _sent(request) as source:
            taken = take_upload(
                context.store,
                project.slug,
                _kind(request),
                source,
                form=_format(request),
                name=text_of(request, "name").strip()[:200],
                depth=_depth(request),
            )
    except (Problem, RankproofError) as error:
        problem = understood(error)
        if problem is None:
            raise
        findings = error.findings[:MOST_FINDINGS] if isinstance(error, Refused) else ()
        return render(request, "files.html", _page(request, problem=problem, findings=findings), problem.status)
    note_upload(context, me, project.slug, taken)
    return render(request, "files.html", _page(request, taken))


def note_upload(context: AppContext, by: str, slug: str, taken: UploadSummary) -> None:
    """Notes in the audit log what was added."""
    context.audit(by, "files added", project=slug, what=taken.what, file=taken.name, added=taken.added)


@contextmanager
def _sent(request: Request) -> Iterator[Source]:
    """The file of the form, from a temporary one: nothing but its content is used of what was sent."""
    form = form_of(request).get("file")
    if not isinstance(form, UploadFile) or not form.filename:
        raise Problem(422, "No file was chosen.", "Choose a file.")
    with TemporaryDirectory(prefix="rankproof-") as folder:
        path = os.path.join(folder, "upload")
        with open(path, "wb") as file:
            shutil.copyfileobj(form.file, file, PIECE)
        if os.path.getsize(path) > LARGEST:
            raise Problem(413, f"The file has more than {LARGEST:,} bytes.", "Use: rankproof judgments add")
        yield uploaded(path, plain_name(form.filename))


def _kind(request: Request) -> UploadKind:
    text = text_of(request, "what")
    kind = next((one for one in UPLOAD_KINDS if one == text), None)
    if kind is None:
        raise Problem(422, f"No kind of file is called {text[:40]!r}.", f"There are: {', '.join(UPLOAD_KINDS)}.")
    return kind


def _format(request: Request) -> str | None:
    form = text_of(request, "format")
    if form and form not in upload_formats():
        raise Problem(422, f"No format is called {form[:40]!r}.", f"There are: {', '.join(upload_formats())}.")
    return form or None


def _depth(request: Request) -> int:
    text = text_of(request, "depth", str(DEPTH)).strip() or str(DEPTH)
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise Problem(422, f"The number of documents is no whole number: {text[:40]!r}.")
    return int(text)


def _page(
    request: Request,
    taken: UploadSummary | None = None,
    problem: Problem | None = None,
    findings: tuple[Finding, ...] = (),
) -> FilesPage:
    store, project = app_context(request).store, project_of(request)
    count = store.items.count(project.slug)
    defaults = {"what": "queries" if not count.queries else "run", "format": "", "name": "", "depth": str(DEPTH)}
    fields = {name: text_of(request, name, usual) for name, usual in defaults.items()}
    if taken is not None:
        fields["name"] = ""
    return FilesPage(
        project,
        count.queries,
        count.documents,
        tuple(store.runs.all(project.slug)),
        upload_formats(),
        fields,
        taken,
        problem,
        findings,
    )


ROUTES = (
    Route("/p/{slug}/project/files", show, methods=["GET"]),
    Route("/p/{slug}/project/files", upload, methods=["POST"]),
)
