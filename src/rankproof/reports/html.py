"""One HTML file for a browser: verdict, charts, every query; it holds all it needs and asks the network for nothing.

A comparison shows its headline, what to know before quoting it, a forest plot, the difference of every query with the
query at the pointer, a table of queries that can be sorted and searched, segments, blind spots, bounds from unjudged
documents, ties, grades, power, diagnoses, fine print and manifest. A verdict stands above the comparison it rests on,
or above the units, effects, days and segments of its trial.
Evaluations show their table and a chart for each measure; with `--per-query` each query too. Light and dark follow
the reader's system. Charts are drawn by vl-convert, from the extra `report`. The same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof.records.benchmark import Benchmark
from rankproof.records.comparison import Comparison
from rankproof.records.evaluation import Evaluation
from rankproof.records.verdict import Verdict
from rankproof.reports._contract import Report
from rankproof.reports._grid import notes


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The page of evaluations."""
    from rankproof.reports._html import fine, values
    from rankproof.reports._html.page import page

    return page(
        f"{values.title(evaluations)} · rankproof",
        "evaluation",
        (values.head(evaluations), values.facts(evaluations)),
        (
            values.section(evaluations),
            values.queries(evaluations) if per_query else None,
            fine.lines_section(notes(evaluations)),
        ),
    )


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The page of a comparison. Its queries are always there: a mean without them cannot be defended."""
    from rankproof.reports._html import parts, summary
    from rankproof.reports._html.page import page

    head = (
        summary.head(comparison),
        summary.also(comparison),
        summary.margins(comparison),
        summary.facts(comparison),
        summary.caveats(comparison),
    )
    return page(summary.title(comparison), "comparison", head, parts.sections(comparison, comparison.manifest))


def verdict(verdict: Verdict, *, observed: Mapping[str, Any]) -> str:
    """The page of a verdict: the rules first, then the comparison or the evaluation they rest on."""
    from rankproof.reports._html import fine, parts, rulings, summary, values
    from rankproof.reports._html.page import page

    below: list[Any] = []
    against: list[Any] = []
    if verdict.comparison is not None:
        against = [summary.caveats(verdict.comparison)]
        below = parts.sections(verdict.comparison, verdict.manifest or verdict.comparison.manifest)
    elif verdict.evaluation is not None:
        below = [
            values.section([verdict.evaluation]),
            fine.lines_section(notes([verdict.evaluation])),
            fine.manifest(verdict.manifest),
        ]
    elif verdict.trial is not None:
        from rankproof.reports._html import trial

        below = [*trial.sections(verdict.trial)]
    head = (rulings.head(verdict), rulings.facts(verdict), *against)
    title = f"{verdict.status}: {verdict.candidate} · rankproof"
    kind = "gate" if verdict.trial is None else "trial"
    return page(title, kind, head, (rulings.section(verdict), *below))


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The page of a benchmark: the modes first, then the comparison behind them."""
    from rankproof.reports._benchmark_sections import fine_print
    from rankproof.reports._html import parts, stages, summary
    from rankproof.reports._html.page import page

    # The grades are among the stages already.
    lines = (*benchmark.comparison.fine_print, *fine_print(benchmark))
    found = replace(benchmark.comparison, grade_shares=None, fine_print=lines)
    head = (stages.head(benchmark), summary.facts(found), summary.caveats(found))
    title = f"{benchmark.config.name} · rankproof"
    return page(title, "benchmark", head, (*stages.sections(benchmark), *parts.sections(found, found.manifest)))


def cell(shown: Comparison | Evaluation) -> str:
    """The charts of a notebook's cell."""
    from rankproof.reports._html.cell import charts

    return charts(shown)


OFFERS = (Report("html", __doc__, render, ".html", "text/html", comparison, verdict, cell, benchmark),)
