"""One HTML file for a browser: verdict, charts, every query; it holds all it needs and asks the network for nothing.

A comparison shows its headline, what to know before quoting it, a forest plot, the difference of every query with the
query at the pointer, a table of queries that can be sorted and searched, segments, blind spots, bounds from unjudged
documents, ties, grades, power, diagnoses, fine print and manifest. A verdict stands above the comparison it rests on,
or above the units, effects, days and segments of its trial.
Evaluations show their table and a chart for each measure; with `--per-query` each query too. Light and dark follow
the reader's system. Charts are SVG inside the page. The same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankproof.measuring.records import Evaluation
from rankproof.online.trial.results import TrialReading, trial_of
from rankproof.online.trial.sections import trial_sections
from rankproof.proving.records import Comparison
from rankproof.proving.verdict import Verdict
from rankproof.reports.charts.answers import answer_chart, answer_plots
from rankproof.reports.charts.drawing import to_inline
from rankproof.reports.charts.frame import NOTEBOOK, ChartStyle
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import notes
from rankproof.reports.page import page as frame
from rankproof.reports.page import queries, unseen
from rankproof.reports.page import verdict as summary
from rankproof.reports.page.contrasts import contrasts_section, power_section, segments_section
from rankproof.reports.page.elements import PageSection, Piece, section_body
from rankproof.reports.page.page import lines_section, page
from rankproof.reports.page.unseen import diagnoses_section, grades_section, holes_section
from rankproof.stack.benchmark.records import Benchmark


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of evaluations."""
    from rankproof.reports.page import values

    return page(
        f"{values.title(evaluations)} · rankproof",
        "evaluation",
        (values.head(evaluations), values.facts(evaluations)),
        (
            values.section(evaluations),
            values.queries(evaluations) if per_query else None,
            lines_section(notes(evaluations)),
        ),
    )


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of a comparison. Its queries are always there: a mean without them cannot be defended."""
    head = (
        summary.comparison_head(comparison),
        summary.also(comparison),
        summary.margins(comparison),
        summary.comparison_facts(comparison),
        summary.caveats(comparison),
    )
    return page(
        summary.title(comparison), "comparison", head, comparison_page_sections(comparison, comparison.manifest)
    )


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The page of a verdict: the rules first, then the comparison or the evaluation they rest on."""
    from rankproof.reports.page import values

    below: list[PageSection] = []
    against: list[Piece] = []
    if verdict.comparison is not None:
        against = [summary.caveats(verdict.comparison)]
        below = comparison_page_sections(verdict.comparison, verdict.manifest or verdict.comparison.manifest)
    elif verdict.evaluation is not None:
        below = [
            values.section([verdict.evaluation]),
            lines_section(notes([verdict.evaluation])),
            frame.manifest(verdict.manifest),
        ]
    elif (reading := trial_of(verdict)) is not None:
        below = [*trial_page_sections(reading)]
    head = (
        summary.verdict_head(verdict),
        summary.verdict_facts(verdict),
        summary.verdict_caveats(verdict),
        *against,
    )
    title = f"{verdict.status}: {verdict.candidate} · rankproof"
    kind = "gate" if verdict.trial is None else "A/B test"
    return page(title, kind, head, (summary.section(verdict), *below))


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of a benchmark: the modes first, then the comparison behind them."""
    from rankproof.reports.page import stages
    from rankproof.stack.benchmark.sections import fine_print

    # The grades are among the stages already.
    lines = (*benchmark.comparison.fine_print, *fine_print(benchmark))
    behind = replace(benchmark.comparison, grade_shares=None, fine_print=lines)
    head = (stages.head(benchmark), summary.comparison_facts(behind), summary.caveats(behind))
    title = f"{benchmark.config.name} · rankproof"
    return page(
        title, "benchmark", head, (*stages.sections(benchmark), *comparison_page_sections(behind, behind.manifest))
    )


def cell(shown: Comparison | Evaluation) -> str:
    """The charts of a notebook's cell."""
    return charts(shown)


OFFERS = (Report("html", __doc__, render, ".html", "text/html", comparison, verdict, cell, benchmark, answer_chart),)


def comparison_page_sections(comparison: Comparison, manifest: Mapping[str, object]) -> list[PageSection]:
    """How large, who pays, for whom; then what the numbers cannot see; then what they stand on."""
    page_sections = [
        contrasts_section(comparison),
        queries.section(comparison),
        segments_section(comparison),
        grades_section(comparison),
        unseen.blind_spots(comparison),
        holes_section(comparison),
        unseen.ties(comparison),
        unseen.reuse(comparison),
        power_section(comparison),
        diagnoses_section(comparison),
        frame.fine_print(comparison),
        frame.manifest(manifest),
    ]
    return [section for section in page_sections if section is not None]


LEDES = {
    "Units": "How many units, on which days, and in the planned shares?",
    "Variants": "What is the verdict on each variant?",
    "Effects": "What changed, by how much, and how sure is it?",
    "Day by day": "Does the effect wear off, or take time to come?",
    "Segments": "For whom did it change?",
}


def trial_page_sections(reading: TrialReading) -> list[PageSection]:
    """The sections that have something to say."""
    page_sections = []
    for part in trial_sections(reading):
        key = part.title.lower().replace(" ", "-")
        page_sections.append(PageSection(key, part.title, LEDES[part.title], section_body(part)))
    return page_sections


# A cell is read at a glance; the report holds the rest.
MOST_CHARTS = 4


def charts(record: Comparison | Evaluation) -> str:
    """SVG elements in colors that are readable on light and on dark; "" where nothing can be drawn."""
    look = ChartStyle(NOTEBOOK, 720)
    drawn = [to_inline(plot, label) for label, plot in answer_plots(record, look, MOST_CHARTS)[:MOST_CHARTS]]
    return "".join(f"<div>{svg}</div>" for svg in drawn)
