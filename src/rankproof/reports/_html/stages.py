"""Stages: the modes of a benchmark in the page: values and times, what each buys, where time is well spent."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.records.benchmark import Benchmark
from rankproof.reports._benchmark_sections import benchmark_sections
from rankproof.reports._charts.pareto import Point, pareto_chart
from rankproof.reports._html.figure import figure
from rankproof.reports._html.markup import Safe, tag
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Column, bullets, table
from rankproof.reports._sections import Section as Part


def head(benchmark: Benchmark) -> Safe:
    """The headline: who leads in the first measure, where that is shown."""
    measure = benchmark.config.measures[0]
    ahead = benchmark.best[measure]
    if ahead is None:
        return tag("h1", f"No mode is shown to be the best in {measure}.")
    return tag("h1", f"{ahead} is better than every other mode in {measure}.")


def sections(benchmark: Benchmark) -> list[Section]:
    """The stage table, the picture of quality against time, and what lies behind both."""
    first, *others = [p for p in benchmark_sections(benchmark, per_query=False) if p.title != "Fine print"]
    found = [
        Section(
            "modes",
            "Modes",
            first.title,
            (_table("Values of each mode, and times of single queries", first), *_pareto(benchmark), _lines(first)),
        )
    ]
    found += [
        Section(
            f"stage-{number}",
            part.title,
            None,
            (_table(part.title, part) if part.table else None, _lines(part)),
        )
        for number, part in enumerate(others, 1)
        if part.title != "Warnings"
    ]
    return found


def _table(caption: str, part: Part) -> Safe:
    first, *rows = part.table
    columns = [Column(title, "name" if i < part.names else "number") for i, title in enumerate(first)]
    return table(caption, columns, [list(row) for row in rows])


def _lines(part: Part) -> Safe:
    return bullets([line if isinstance(line, str) else " ".join(line) for line in part.lines], "fine")


def _pareto(benchmark: Benchmark) -> Sequence[Safe]:
    measure = benchmark.config.measures[0]
    means = {e.run_name: e[measure].mean for e in benchmark.comparison.evaluations}
    points = [
        Point(row.mode, row.latency.p50, means[row.mode]) for row in benchmark.rows if row.latency.p50 is not None
    ]
    if len(points) < 2:
        return ()
    tips = [[p.name, f"{measure} {p.value:.4f}", f"{p.milliseconds:.1f} ms (median)"] for p in points]
    label = f"{measure} against time for each mode: the table above has the numbers."
    caption = "Up is better, left is faster. The dashed line joins the modes that no other one beats in both."
    return (figure(lambda look: pareto_chart(points, measure, look), label, caption, tips=tips, along="x"),)
