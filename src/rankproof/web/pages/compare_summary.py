"""The summary of comparing, with the names: pair by pair, variant by variant; and the same for other programs."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankproof.judging.files import ACTS_SCHEMA, Kind, to_body, to_csv
from rankproof.judging.preference_batch import SUMMARY_SCHEMA, batch_csv, summarize
from rankproof.judging.preferences import PreferenceBatch, settled_grades
from rankproof.judging.records import Project
from rankproof.judging.store.store import give
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.version import __version__
from rankproof.web.context import app_context, project_of
from rankproof.web.pages._compare_answers import whole
from rankproof.web.pages._compare_setup import DEPTHS, LIVE, ComparedVariant
from rankproof.web.problems import Problem
from rankproof.web.render import address, render
from rankproof.web.security.roles import needs

WHAT = ("preferences", "picks", "flags", "summary")
FORMS = ("csv", "json")


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """The numbers, and where to get them as files: (what, form, address)."""

    project: Project
    batch: PreferenceBatch
    depths: tuple[tuple[int, str], ...]
    files: tuple[tuple[str, str, str], ...]
    round: str
    title: str = "Summary of comparing"


@needs("viewer", others=True)
def summary(request: Request) -> Response:
    """The page."""
    project, k, handles = project_of(request), _depth(request), request.query_params.get("v")
    batch = _batch(request, project, k)
    here = f"/p/{project.slug}/compare"
    page = SummaryPage(
        project,
        batch,
        tuple((depth, address(f"{here}/summary", v=handles, k=depth)) for depth in DEPTHS),
        tuple(
            (what, form, address(f"{here}/export", what=what, form=form, v=handles, k=k))
            for what in WHAT
            for form in FORMS
        ),
        f"{here}?{request.url.query}" if handles else here,
    )
    return render(request, "compare_summary.html", page)


@needs("viewer", others=True)
def export(request: Request) -> Response:
    """Preferences, picks, flags or the summary as a file."""
    project = project_of(request)
    what, form = request.query_params.get("what", ""), request.query_params.get("form", "json")
    if what not in WHAT or form not in FORMS:
        raise Problem(
            404, f"There is no {what[:40]!r} as {form[:10]!r}.", f"There are {', '.join(WHAT)} as csv and json."
        )
    text = _summary_text(request, project, form) if what == "summary" else _acts_text(request, project, what, form)
    kind = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    name = f'attachment; filename="{project.slug}-{what}.{form}"'
    return Response(text.encode("utf-8", "replace"), media_type=kind, headers={"Content-Disposition": name})


def _summary_text(request: Request, project: Project, form: str) -> str:
    batch = _batch(request, project, _depth(request))
    if form == "csv":
        return batch_csv(batch)
    return _document(SUMMARY_SCHEMA, {"project": project.slug, **batch.to_dict()})


def _acts_text(request: Request, project: Project, what: str, form: str) -> str:
    kind: Kind = "preferences" if what == "preferences" else "picks" if what == "picks" else "flags"
    acts = give(app_context(request).store, project.slug, kind)
    return to_csv(kind, acts) if form == "csv" else _document(ACTS_SCHEMA, to_body(kind, acts, project.slug))


def _document(schema: str, body: dict[str, object]) -> str:
    return to_json({"rankproof": __version__, "schema": schema, **body}, indent=2) + "\n"


def _batch(request: Request, project: Project, k: int) -> PreferenceBatch:
    """Judgments of the variants that the address names; of all variants where it names none."""
    store, slug = app_context(request).store, project.slug
    preferences = store.preferences.current(slug)
    known = {run.name: ComparedVariant(run.name) for run in store.runs.all(slug)}
    stored = frozenset(known)
    for name in dict.fromkeys(name for one in preferences for name in one.variants):
        known.setdefault(name, ComparedVariant(name, live=name.startswith(LIVE)))
    handles = {handle for text in request.query_params.getlist("v") for handle in text.split(".") if handle}
    if handles:
        variants = [variant for variant in known.values() if variant.handle in handles]
    else:
        compared = {name for one in preferences for name in one.variants}
        variants = [variant for variant in known.values() if variant.name in compared]
    return summarize(
        # Whoever uses the API may name variants that are no runs: nothing is known of their rankings.
        {v.name: whole(store, slug, v) if v.live or v.name in stored else {} for v in variants},
        preferences,
        store.marks.current(slug),
        settled_grades(store.judgments.current(slug), project.scale),
        project.scale.relevant,
        k,
    )


def _depth(request: Request) -> int:
    return next((depth for depth in DEPTHS if str(depth) == request.query_params.get("k")), 10)


ROUTES = (
    Route("/p/{slug}/compare/summary", summary, methods=["GET"]),
    Route("/p/{slug}/compare/export", export, methods=["GET"]),
)
