"""One HTML file for a browser: verdict, charts, every query; it holds all it needs and asks the network for nothing.

The first screen has the verdict with its numbers, one chart, and the warning that could change it. Then a comparison
shows its differences, a chart and a table of queries that are searched, filtered and opened to the rankings side by
side; folded until they are opened: segments, blind spots, bounds from unjudged documents, ties, grades, power,
diagnoses, fine print and manifest. A verdict stands above the comparison it rests on, or above the units, effects,
days and segments of its trial; rules that failed come first. Every table can be saved as CSV.
Evaluations show their table and a chart for each measure; with `--per-query` each query too. Light and dark follow
the reader's system. Charts are SVG inside the page. The same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from rankproof.reports.page.contrasts import contrasts_section, lead_chart, power_section, segments_section
from rankproof.reports.page.elements import PageSection, minus_signs, section_body
from rankproof.reports.page.page import lines_section, page
from rankproof.reports.page.unseen import diagnoses_section, grades_section, holes_section
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.records import Benchmark


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of evaluations."""
    from rankproof.reports.page import values

    return page(
        f"{values.title(evaluations)} · rankproof",
        "evaluation",
        (values.head(evaluations), values.facts(evaluations)),
        folded(
            (
                values.section(evaluations),
                values.queries(evaluations) if per_query else None,
                lines_section(notes(evaluations)),
            )
        ),
    )


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of a comparison. Its queries are always there: a mean without them cannot be defended."""
    caveats, grave = summary.caveats(comparison), summary.gravest(comparison)
    head = (
        summary.comparison_head(comparison),
        summary.margins(comparison),
        summary.lead_caveat(caveats, grave),
        lead_chart(comparison),
        summary.comparison_facts(comparison),
    )
    below = comparison_page_sections(comparison, comparison.manifest)
    return page(
        summary.title(comparison), "comparison", head, folded((summary.caveats_section(caveats, grave), *below))
    )


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The page of a verdict: the rules first, then the comparison or the evaluation they rest on."""
    from rankproof.reports.page import values

    below: list[PageSection] = []
    grave = [minus_signs(warning) for warning in verdict.warnings]
    caveats, chart = [*grave], None
    if verdict.comparison is not None:
        caveats += summary.caveats(verdict.comparison)
        grave += summary.gravest(verdict.comparison)
        chart = lead_chart(verdict.comparison)
        below = comparison_page_sections(verdict.comparison, verdict.manifest or verdict.comparison.manifest)
    elif verdict.evaluation is not None:
        below = [
            values.section([verdict.evaluation]),
            lines_section(notes([verdict.evaluation])),
            frame.manifest(verdict.manifest),
        ]
    elif (reading := trial_of(verdict)) is not None:
        below = [*trial_page_sections(reading)]
    caveats = list(dict.fromkeys(caveats))
    head = (
        summary.verdict_head(verdict),
        summary.lead_caveat(caveats, grave),
        chart,
        summary.verdict_facts(verdict),
    )
    title = f"{verdict.status}: {verdict.candidate} · rankproof"
    kind = "gate" if verdict.trial is None else "A/B test"
    return page(title, kind, head, folded((summary.section(verdict), summary.caveats_section(caveats, grave), *below)))


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page of a benchmark: the modes first, then the queries and the comparison behind them."""
    from rankproof.reports.page import stages
    from rankproof.stack.benchmark.sections import fine_print

    # The grades are among the stages already.
    lines = (*benchmark.comparison.fine_print, *fine_print(benchmark))
    behind = replace(benchmark.comparison, grade_shares=None, fine_print=lines)
    caveats, grave = summary.caveats(behind), summary.gravest(behind)
    head = (
        stages.head(benchmark),
        summary.lead_caveat(caveats, grave),
        *((lead_chart(behind), summary.comparison_facts(behind)) if behind.contrasts else ()),
    )
    segments = None if benchmark.by_segment is None else benchmark.by_segment.segments
    modes = stages.sections(benchmark)
    below = comparison_page_sections(behind, behind.manifest, segments) if behind.contrasts else _alone(behind)
    sections = (
        *(s for s in modes if s.key in OPEN),
        summary.caveats_section(caveats, grave),
        *(s for s in below if s.key == "queries"),
        *(s for s in modes if s.key not in OPEN),
        # All pairs of modes are many: the chart and the table of stages say what matters of them.
        *(replace(s, folded=True) for s in below if s.key != "queries"),
    )
    return page(f"{benchmark.config.name} · rankproof", "benchmark", head, folded(sections))


def datasets(benchmark: MultiBenchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The page over several datasets; it leads to the page of each, which lies beside it."""
    from rankproof.reports.page.datasets import datasets_page

    return datasets_page(benchmark)


def _alone(comparison: Comparison) -> list[PageSection]:
    """What lies behind one system that is compared with none."""
    from rankproof.reports.page import values

    lines = lines_section([*notes(comparison.evaluations), *comparison.fine_print])
    parts = (values.queries(comparison.evaluations), lines, frame.manifest(comparison.manifest))
    return [part for part in parts if part is not None]


# Sections that are read, not looked up; the others are opened when they are needed.
OPEN = frozenset(
    "rules caveats modes stages worth differences overlaps queries values units variants effects".split()  # noqa: SIM905
)


def folded(sections: Iterable[PageSection | None]) -> list[PageSection]:
    """The sections that are there, folded where they are looked up and not read."""
    return [replace(s, folded=s.folded or s.key not in OPEN) for s in sections if s is not None]


def cell(shown: Comparison | Evaluation) -> str:
    """The charts of a notebook's cell."""
    return charts(shown)


OFFERS = (
    Report(
        "html",
        __doc__,
        render,
        ".html",
        "text/html",
        comparison,
        verdict,
        cell,
        benchmark,
        answer_chart,
        datasets=datasets,
    ),
)


def comparison_page_sections(
    comparison: Comparison, manifest: Mapping[str, object], segments: Mapping[str, Sequence[str]] | None = None
) -> list[PageSection]:
    """How large, who pays, for whom; then what the numbers cannot see; then what they stand on."""
    page_sections = [
        contrasts_section(comparison),
        unseen.overlaps(comparison),
        queries.section(comparison, segments),
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
    "Data": "Can the data be trusted?",
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
