"""Explore: runs on today's judgments, and what was measured before; from a value to its queries to documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.adjudicate import SettledPair, settled_qrels
from rankproof.judging.explore import (
    PlacedRanking,
    QueryRow,
    RunsMeasured,
    StoredReport,
    compared,
    parse_report,
    placed,
    query_rows,
    read_report,
    standing,
)
from rankproof.judging.overview import SettledCounts
from rankproof.judging.records import Project
from rankproof.judging.store.experiments import StoredExperiment
from rankproof.kernel.jsontext import to_json
from rankproof.proving.records import Contrast
from rankproof.reading.collection import Query
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.pages._method import Method, method_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import address, render
from rankproof.web.security.csrf import form_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

MEASURES = "nDCG@10 P@10 RR"


@dataclass(frozen=True, slots=True)
class ExploreRequest:
    """What an address asks for, and what stands there.

    settled        what all pairs come to, or those of the query that is asked for
    pairs          the pairs of that query; empty where no query is asked for
    run, against   the run that is looked at, and the one that it is held against; empty for none
    """

    measures: str
    method: Method
    settled: SettledCounts
    pairs: tuple[SettledPair, ...]
    at: RunsMeasured
    run: str
    against: str

    @property
    def query(self) -> dict[str, str | None]:
        """The parameters that ask for the same."""
        same = self.measures if self.measures != MEASURES else None
        return {**self.method.query, "measures": same, "run": self.run or None, "against": self.against or None}


def explore_request(
    request: Request, project: Project, measures: str = "", query_id: str | None = None
) -> ExploreRequest:
    """The runs measured as the address asks; an error that says what is possible where it asks for what is none.

    With `query_id` only this query is looked at: its values are the same, and the others need not be read.
    """
    context, slug = app_context(request), project.slug
    store = context.store
    chosen_measures = measures or request.query_params.get("measures", "").strip() or MEASURES
    pairs: tuple[SettledPair, ...] = ()
    if query_id is None:
        with context.overviews.of(project) as overview:
            method = method_of(request, sorted(overview.people))
            settled = overview.counts(method.text, method.sources)
        names = [run.name for run in store.runs.all(slug)]

        def measure(grades: Mapping[str, Mapping[str, int]]) -> RunsMeasured:
            runs = {name: store.runs.whole(slug, name) for name in names}
            return standing(runs, settled_qrels(grades, slug), chosen_measures[:1000], project.scale.relevant)

        asked = to_json([chosen_measures, project.scale.relevant, [run.sha256 for run in store.runs.all(slug)]])
        at = _measured(lambda: context.overviews.measured(project, (method.text, method.sources), asked, measure))
    else:
        judgments = store.judgments.current(slug, query_id=query_id)
        method = method_of(request, sorted({act.judge for act in judgments if act.source.kind == "person"}))
        adjudicated = method.settle(judgments, project)
        pairs, qrels = adjudicated.pairs, adjudicated.qrels
        settled = SettledCounts(
            len(qrels.rows), len(adjudicated.unresolved), len(qrels), dict(qrels.grades), adjudicated.settled_how
        )
        runs = {name: {query_id: docs} for name, docs in store.runs.rankings(slug, query_id).items()}
        names = list(runs)
        at = _measured(lambda: standing(runs, qrels, chosen_measures[:1000], project.scale.relevant))
    chosen, against = request.query_params.get("run", ""), request.query_params.get("against", "")
    return ExploreRequest(
        chosen_measures,
        method,
        settled,
        pairs,
        at,
        chosen if chosen in names else "",
        against if against in names else "",
    )  # fmt: skip


def _measured(measure: Callable[[], RunsMeasured]) -> RunsMeasured:
    try:
        return measure()
    except RankproofError as error:
        raise Problem(422, str(error)) from None


def chosen_run(explored: ExploreRequest) -> tuple[str, str]:
    """The run to look at and the one it is compared with: as requested, else the first and none."""
    names = list(explored.at.evaluations)
    run = explored.run if explored.run in names else (names[0] if names else "")
    return run, explored.against if explored.against in names and explored.against != run else ""


# Experiments that a page lists, queries that a table shows, and how deep rankings are shown.
MOST_LISTED, MOST_QUERIES, DEPTH, DEEPEST = 30, 500, 10, 100


@dataclass(frozen=True, slots=True)
class Listed:
    """An experiment in a list; without `report` it cannot be read."""

    stored: StoredExperiment
    report: StoredReport | None


@dataclass(frozen=True, slots=True)
class ExplorePage:
    """Where the runs stand, and what was measured before."""

    project: Project
    request: ExploreRequest
    experiments: tuple[Listed, ...]
    older: int
    problem: Problem | None = None
    title: str = "Explore"


@dataclass(frozen=True, slots=True)
class QueriesPage:
    """A measure query by query, under every run; with another run to hold against, their difference."""

    project: Project
    request: ExploreRequest
    measure: str
    runs: tuple[str, ...]
    run: str
    against: str
    contrast: Contrast | None
    rows: tuple[QueryRow, ...]
    more: int
    sort: str
    texts: Mapping[str, str]
    title: str = "Queries"


@dataclass(frozen=True, slots=True)
class QueryPage:
    """A query's rankings under every run."""

    project: Project
    request: ExploreRequest
    query: Query
    ranked: tuple[PlacedRanking, ...]
    values: Mapping[str, Mapping[str, float | None]]
    against: str
    depth: int
    shown: Mapping[str, DocumentView]
    pairs: Mapping[str, SettledPair]
    before: str | None
    after: str | None
    title: str = "Query"


@dataclass(frozen=True, slots=True)
class ExperimentPage:
    """Something measured before; with a measure, query by query."""

    project: Project
    stored: StoredExperiment
    report: StoredReport
    measure: str
    columns: tuple[str, ...]
    rows: tuple[QueryRow, ...]
    sort: str
    texts: Mapping[str, str]
    title: str = "Report"


@needs("viewer", others=True)
def explore(request: Request) -> Response:
    """The overview."""
    return render(request, "explore.html", _overview(request))


def _overview(request: Request, problem: Problem | None = None) -> ExplorePage:
    context, project = app_context(request), project_of(request)
    every = context.store.experiments.all(project.slug)[::-1]
    listed = tuple(_listed(request, project.slug, one) for one in every[:MOST_LISTED])
    return ExplorePage(project, explore_request(request, project), listed, max(0, len(every) - MOST_LISTED), problem)


def _listed(request: Request, slug: str, stored: StoredExperiment) -> Listed:
    try:
        return Listed(stored, read_report(app_context(request).store.experiments.get(slug, stored.sha256)))
    except RankproofError:
        return Listed(stored, None)


@needs("admin")
def keep(request: Request) -> Response:
    """Stores an uploaded report."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    try:
        upload = form_of(request).get("file")
        if not isinstance(upload, UploadFile) or not upload.filename:
            raise Problem(422, "No file was chosen.", "Choose a report that rankproof wrote.")
        text = upload.file.read().decode("utf-8", "replace")
        document, shown_report = parse_report(text, upload.filename[:200])
        digest = context.store.experiments.add(project.slug, shown_report.kind, shown_report.name[:200], document, me)
    except (Problem, RankproofError) as error:
        problem = understood(error)
        if problem is None:
            raise
        return render(request, "explore.html", _overview(request, problem), problem.status)
    context.audit(me, "experiment", project=project.slug, sha256=digest)
    return RedirectResponse(address(f"/p/{project.slug}/explore/report", id=digest), 303)


@needs("viewer", others=True)
def queries(request: Request) -> Response:
    """A measure query by query."""
    project, measure = project_of(request), request.query_params.get("measure", "").strip()
    explored = explore_request(request, project, measure)
    run, against = chosen_run(explored)
    name = explored.at.measures[0]
    names = tuple(explored.at.evaluations)
    comparison = compared(explored.at, against, run, name) if against else None
    contrast = comparison.contrasts[0] if comparison is not None else None
    differences = {} if contrast is None else dict(zip(contrast.query_ids, contrast.by_query.tolist(), strict=True))
    sort = request.query_params.get("sort", "")
    # The run that is looked at comes first, and what it is held against second.
    names = tuple(sorted(names, key=lambda one: (one != run, one != against)))
    values = [explored.at.evaluations[one][name].by_query for one in names]
    rows = query_rows(values, differences, sort)
    page = QueriesPage(
        project,
        explored,
        name,
        names,
        run,
        against,
        contrast,
        tuple(rows[:MOST_QUERIES]),
        max(0, len(rows) - MOST_QUERIES),
        sort,
        _texts(request, project.slug),
    )
    return render(request, "explore_queries.html", page)


@needs("viewer", others=True)
def query(request: Request) -> Response:
    """The rankings of a query, with the documents."""
    context, project = app_context(request), project_of(request)
    slug, query_id = project.slug, request.query_params.get("query", "")
    shown_query = context.store.items.query(slug, query_id)
    explored = explore_request(request, project, query_id=query_id)
    rankings = context.store.runs.rankings(slug, query_id)
    run, against = explored.run, explored.against
    order = sorted(rankings, key=lambda one: (one != run and one != against, one != against, one != run))
    grades = {p.doc_id: p.grade for p in explored.pairs if p.query_id == query_id and p.grade is not None}
    depth = _depth(request)
    ranked = placed({one: rankings[one] for one in order}, grades, depth, against)
    docs = [place.doc_id for one in ranked for place in (*one.places, *one.left)]
    fields = context.store.hits.of_query(slug, query_id, docs)
    ids = [one.query_id for one in context.store.items.queries(slug)]
    here = ids.index(query_id)
    page = QueryPage(
        project,
        explored,
        shown_query,
        tuple(ranked),
        {name: _values(explored, name, query_id) for name in order},
        against if against in rankings else "",
        depth,
        {doc: show_document(project.template, doc, fields.get(doc), shown_query.text) for doc in docs},
        {pair.doc_id: pair for pair in explored.pairs if pair.query_id == query_id},
        ids[here - 1] if here else None,
        ids[here + 1] if here + 1 < len(ids) else None,
    )
    return render(request, "explore_query.html", page)


@needs("viewer", others=True)
def report(request: Request) -> Response:
    """Something measured before."""
    context, project = app_context(request), project_of(request)
    digest = request.query_params.get("id", "")
    stored = next((one for one in context.store.experiments.all(project.slug) if one.sha256 == digest), None)
    if stored is None:
        raise Problem(404, "There is no report with this hash.")
    document = read_report(context.store.experiments.get(project.slug, digest), "The report")
    measure, sort = request.query_params.get("measure", ""), request.query_params.get("sort", "")
    columns, rows = _by_query(document, measure, sort)
    texts = _texts(request, project.slug)
    page = ExperimentPage(project, stored, document, measure, columns, tuple(rows), sort, texts)
    return render(request, "explore_report.html", page)


def _by_query(document: StoredReport, measure: str, sort: str) -> tuple[tuple[str, ...], list[QueryRow]]:
    """Each query's value under every run of a report, and the difference of the first contrast in the measure."""
    held = [one for one in document.evaluations if measure in one.measures]
    values = [
        {q: v if isinstance(v, float) else None for q, v in one.measures[measure].by_query.items()} for one in held
    ]
    contrasts = document.comparison.contrasts if document.comparison is not None else []
    first = next((c for c in contrasts if c.measure == measure and not c.segment and c.by_query), None)
    differences = {} if first is None else {q: v for q, v in first.by_query.items() if v is not None}
    if not values and differences:
        values = [dict.fromkeys(differences)]
    return tuple(one.run for one in held), query_rows(values, differences, sort)


def _values(explored: ExploreRequest, run: str, query_id: str) -> dict[str, float | None]:
    evaluation = explored.at.evaluations.get(run)
    return (
        {}
        if evaluation is None
        else {name: result.by_query.get(query_id) for name, result in evaluation.results.items()}
    )


def _texts(request: Request, slug: str) -> dict[str, str]:
    return {one.query_id: one.text for one in app_context(request).store.items.queries(slug)}


def _depth(request: Request) -> int:
    text = request.query_params.get("depth", "")
    return min(max(int(text), 1), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 5 else DEPTH


ROUTES = (
    Route("/p/{slug}/explore", explore, methods=["GET"]),
    Route("/p/{slug}/explore", keep, methods=["POST"]),
    Route("/p/{slug}/explore/queries", queries, methods=["GET"]),
    Route("/p/{slug}/explore/query", query, methods=["GET"]),
    Route("/p/{slug}/explore/report", report, methods=["GET"]),
)
TABS = (Tab("Explore", "/p/{slug}/explore", place=30, others=True),)
