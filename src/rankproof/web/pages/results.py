"""Results: the runs of a project measured on its settled grades, and each against a baseline; also as a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankproof.judging.explore import RunsMeasured, compared
from rankproof.judging.records import Project
from rankproof.measuring.records import Evaluation
from rankproof.proving.compare import compare_evaluations
from rankproof.proving.records import Contrast
from rankproof.web.context import project_of
from rankproof.web.pages._method import Method
from rankproof.web.pages.explore import ExploreRequest, explore_request
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.roles import needs


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """Every run in every measure, each against the baseline, and what of the grades they rest on."""

    project: Project
    measures: str
    method: Method
    at: RunsMeasured
    baseline: str
    contrasts: tuple[Contrast, ...]
    settled: int
    unresolved: int
    title: str = "Results"

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that could be measured."""
        return tuple(self.at.evaluations)

    @property
    def values(self) -> dict[str, tuple[float | None, ...]]:
        """The value of each run in every measure; None where it has none that is a number."""
        return {run: measured_values(one, self.at.measures) for run, one in self.at.evaluations.items()}


def measured_values(evaluation: Evaluation, measures: Sequence[str]) -> tuple[float | None, ...]:
    """The values of a run in these measures; None where it has none that is a number."""
    means = [evaluation.results[text].mean if text in evaluation.results else math.nan for text in measures]
    return tuple(None if math.isnan(mean) else float(mean) for mean in means)


def results_of(explored: ExploreRequest, baseline: str = "") -> tuple[str, tuple[Contrast, ...]]:
    """The baseline, as asked or the first run, and every other run against it in every measure."""
    names = list(explored.at.evaluations)
    first = baseline if baseline in names else (names[0] if names else "")
    found: list[Contrast] = []
    for measure in explored.at.measures:
        for name in names:
            comparison = compared(explored.at, first, name, measure)
            if comparison is not None:
                found += comparison.contrasts
    return first, tuple(found)


@needs("reviewer")
def show(request: Request) -> Response:
    """The tables."""
    project = project_of(request)
    explored = explore_request(request, project)
    baseline, contrasts = results_of(explored, request.query_params.get("baseline", ""))
    settled = explored.settled
    page = ResultsPage(
        project, explored.measures, explored.method, explored.at, baseline, contrasts, settled.settled,
        settled.unresolved,
    )  # fmt: skip
    return render(request, "results.html", page)


@needs("reviewer")
def report(request: Request) -> Response:
    """The same as the report of `rankproof compare`, as a file: it has scripts of its own, which no page here runs."""
    from rankproof.reports.forms import html

    project = project_of(request)
    explored = explore_request(request, project)
    baseline = request.query_params.get("baseline", "")
    every = explored.at.evaluations
    evaluations = [every[name] for name in sorted(every, key=lambda name: name != baseline)]
    if not evaluations:
        raise Problem(422, "There is nothing to report yet.", "Add runs and judge, then measure again.")
    if len(evaluations) == 1:
        text = html.render(evaluations, per_query=True, observed={})
    else:
        text = html.comparison(compare_evaluations(evaluations), per_query=True, observed={})
    headers = {"Content-Disposition": f'attachment; filename="{project.slug}.report.html"'}
    return Response(text.encode("utf-8", "replace"), media_type="text/html", headers=headers)


ROUTES = (
    Route("/p/{slug}/project/results", show, methods=["GET"]),
    Route("/p/{slug}/project/results/report", report, methods=["GET"]),
)
