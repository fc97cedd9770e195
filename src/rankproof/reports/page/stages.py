"""Stages: the modes of a benchmark in the page: values and times, what each buys, where time is well spent."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.kernel.sections import Section
from rankproof.reports.charts.stack import Point, pareto_chart
from rankproof.reports.page.contrasts import segments_section
from rankproof.reports.page.elements import (
    Column,
    PageSection,
    Safe,
    figure,
    fold,
    join,
    section_body,
    section_lines,
    section_table,
    table,
    tag,
)
from rankproof.reports.page.unseen import grades_section
from rankproof.reports.page.verdict import against_baseline, behind
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.sections import benchmark_sections, ship
from rankproof.stack.benchmark.worth import WORTH, price_text, views

# What the page says in a better way elsewhere.
ELSEWHERE = ("Warnings", "Each query", "Fine print")
VALUES = "Values of each mode, and times of one request at a time"
STAGES = "What each stage buys in "


def head(benchmark: Benchmark) -> Safe:
    """The headline with its numbers: what to ship; without advice who leads significantly in the first measure."""
    measure = benchmark.config.measures[0]
    ahead = benchmark.best[measure] if benchmark.advice is None else benchmark.advice.ship
    if benchmark.advice is not None:
        sentence = ship(benchmark.advice)
    elif ahead is None:
        sentence = f"No mode is significantly better than all others in {measure}."
    else:
        sentence = f"{ahead} is significantly better than every other mode in {measure}."
    shown = [c for c in against_baseline(benchmark.comparison, measure) if c.candidate == ahead]
    numbers = [tag("p", f"{c.candidate} against {c.baseline}: {behind(c)}.", class_="numbers") for c in shown]
    return join([tag("h1", sentence, class_="claim"), *numbers])


def sections(benchmark: Benchmark) -> list[PageSection]:
    """The modes, what each stage buys, quality against time and cost, and what lies behind."""
    parts = [p for p in benchmark_sections(benchmark, per_query=False) if p.title not in ELSEWHERE]
    values, pipelines, *others = parts
    stages = [part for part in others if part.title.startswith(STAGES)]
    page_sections = [
        PageSection(
            "modes",
            "Modes",
            values.title,
            (section_table(values, VALUES), section_lines(values), fold("Pipelines", _pipelines(pipelines))),
        ),
    ]
    if stages:
        bodies = (*section_body(stages[0]), *map(_folded, stages[1:]))
        page_sections.append(PageSection("stages", stages[0].title, None, bodies))
    for number, part in enumerate(part for part in others if part not in stages):
        if part.title == WORTH:
            charts = [chart for what in views(benchmark) for chart in _pareto(benchmark, what)]
            page_sections.append(
                PageSection("worth", WORTH, "Which modes are worth what they take?", (*charts, section_lines(part)))
            )
        elif part.title.startswith("Grades in"):
            grades = grades_section(benchmark.comparison)
            page_sections += [grades] if grades is not None else []
        else:
            page_sections.append(PageSection(f"part-{number}", part.title, None, section_body(part)))
    apart = None if benchmark.by_segment is None else segments_section(benchmark.by_segment)
    return [*page_sections, *([apart] if apart is not None else [])]


def _folded(part: Section) -> Safe | None:
    """Measures after the first open on demand."""
    return fold(part.title, *section_body(part))


def _pipelines(part: Section) -> Safe:
    rows = [line.partition(" = ")[::2] for line in part.lines if isinstance(line, str)]
    columns = [Column("mode", "name"), Column("pipeline", "words")]
    return table(part.title, columns, [[mode, tag("code", text)] for mode, text in rows])


# What a price is called on an axis, and what less of it is.
AXES = {
    "time": ("milliseconds a query (median)", "faster"),
    "cost": ("cost of 1,000 queries", "cheaper"),
    "tokens": ("tokens of the first {depth} documents", "shorter"),
    "calls": ("calls of a language model a query", "cheaper"),
}


def _pareto(benchmark: Benchmark, what: str) -> Sequence[Safe]:
    measure = benchmark.config.measures[0]
    means = {e.run_name: e[measure].mean for e in benchmark.comparison.evaluations}
    unbeaten = benchmark.unbeaten.get(what, ())
    priced = [(row.mode, row.price(what)) for row in benchmark.rows if not row.broken]
    points = [Point(mode, price, means[mode], mode in unbeaten) for mode, price in priced if price is not None]
    if len(points) < 2 or not unbeaten:
        return ()
    title, less = AXES[what]
    currency = benchmark.config.prices.currency if what == "cost" and benchmark.config.prices is not None else ""
    axis = f"{title.format(depth=benchmark.config.view.prompt_depth)} {currency}".rstrip()
    tips = [[p.name, f"{measure} {p.value:.4f}", _tip(benchmark, p.price, what)] for p in points]
    label = f"{measure} against {what} for each mode: the table above has the numbers."
    caption = f"Up is better, left is {less}. Filled and joined: the modes that no other one beats in both."
    return (figure(lambda look: pareto_chart(points, measure, axis, look), label, caption, tips=tips),)


def _tip(benchmark: Benchmark, price: float, what: str) -> str:
    after = {"time": " (median)", "cost": " per 1,000 queries", "tokens": "", "calls": " a query"}[what]
    return price_text(benchmark, what, price) + after
