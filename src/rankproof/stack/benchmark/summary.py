"""A benchmark in a few lines: what to ship, what each stage buys in the first measure, its price, and warnings."""

from __future__ import annotations

from rankproof.kernel.sections import (
    GAP,
    Section,
    Table,
    counted,
    first_that_fits,
    interval,
    part,
    some,
    verdict_word,
    wrapped,
)
from rankproof.proving.summary import on_segments, other_warnings, some_that_fit, warnings_on_verdict
from rankproof.stack.benchmark.kept import kept_summary
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.sections import benchmark_sections, failures, leaders, ship, stages, title, values_table
from rankproof.stack.benchmark.targets import targets_summary
from rankproof.stack.benchmark.worth import worth

# How many lines the short form has at most; the name of the report comes after them.
MOST_LINES = 24
# How many kinds of failed answers are named.
MOST_FAILURES = 2
# Of how many modes stored answers are told.
MOST_KEPT = 3


def benchmark_summary(benchmark: Benchmark, per_query: bool, columns: int, wraps: bool = True) -> list[Section]:
    """The short form, for a window of so many columns; `wraps`: whether lines are broken at that width."""
    measure, advice = benchmark.config.measures[0], benchmark.advice
    bought = stages(benchmark, measure)
    verdict = ship(advice) if advice is not None else leaders(benchmark)[0]
    # How p was adjusted explains a significant difference whose interval reaches 0; else the whole answer says it.
    adjusted = bought.lines if len(bought.lines) > 1 else ()
    lines: list[str | tuple[str, ...]] = [
        verdict,
        *targets_summary(benchmark.targets),
        *adjusted,
        *_failed(benchmark),
        *_prices(benchmark),
    ]
    lines += [*_segments(benchmark), *kept_summary(benchmark.kept, MOST_KEPT)]
    lines += [f"Warning: {text}" for text in warnings_on_verdict(benchmark.comparison)]
    width = columns if wraps else None
    if bought.table:
        heading = f"{title(benchmark)}; {bought.title[0].lower()}{bought.title[1:]}"
        table = first_that_fits(_layouts(bought.table), 2, columns)
    else:  # one mode alone
        heading, table = title(benchmark), values_table(benchmark)
    used = len(part(Section(heading, tuple(lines), table, 2), width).splitlines())
    told = verdict if benchmark.advice is not None else ""
    others = [warning for warning in other_warnings(benchmark.comparison) if warning not in told]  # the verdict says it
    more = "More: --full (every measure, times, pipelines, what reranks and fusions did, fine print)"
    shown = some_that_fit(others, MOST_LINES - used - len(wrapped(more, width, GAP)), width)
    left = len(others) - len(shown)
    if left:
        more = more.replace("(", f"({counted(left, 'more warning')}, ", 1)
    asked = [s for s in benchmark_sections(benchmark, per_query, False) if s.title == "Each query"] if per_query else []
    return [Section(heading, (*lines, *shown, more), table, 2 if bought.table else 1), *asked]


def _layouts(rows: Table) -> list[Table]:
    """The table of stages as it is, without the counts of queries, and with its result in a word."""
    header, *body = rows
    without = tuple((*row[:5], row[6]) for row in rows)
    no = verdict_word("not shown")
    narrow = (
        (*header[:4], "p", "significant"),
        *((*row[:5], "no" if row[6] == no else row[6]) for row in body),
    )
    plain = tuple((row[0], row[1].partition(" (")[0], *row[2:]) for row in narrow)  # without what the modes are to it
    return [rows, without, narrow, plain]


def _prices(benchmark: Benchmark) -> list[str]:
    """The lines on prices but time: times differ from run to run, and stand in the whole answer."""
    return list(worth(benchmark, times=False))


def _segments(benchmark: Benchmark) -> list[str]:
    """Which segments differ from the baseline in the first measure, where segments were asked for."""
    by_segment, measure, base = benchmark.by_segment, benchmark.config.measures[0], benchmark.config.baseline
    if by_segment is None or benchmark.open_since:
        return []
    return [on_segments([c for c in by_segment.contrasts if (c.measure, c.baseline) == (measure, base)])]


def _failed(benchmark: Benchmark) -> list[str]:
    """Answers that failed change what is measured: how many, and of what kind."""
    kinds = [line[0] for line in failures(benchmark)]
    if not kinds:
        return []
    named = some(kinds, MOST_FAILURES)
    if benchmark.failed is not None:
        return [f"Warning: answers failed: {named}.", *_bounds(benchmark)]
    return [f"Warning: answers failed, and the order before the stage was kept: {named}."]


def _bounds(benchmark: Benchmark) -> list[str]:
    """What failed queries could make of each difference from the baseline in the first measure."""
    failed, measure, base = benchmark.failed, benchmark.config.measures[0], benchmark.config.baseline
    if failed is None:
        return []
    bounds = {row.mode: failed.bound(measure, row.mode, base) for row in benchmark.rows if row.mode != base}
    shown = [f"{mode} {interval(*ends)}" for mode, ends in bounds.items() if ends is not None]
    if not shown:
        return []
    return [f"With any answers to what failed, {measure} less that of {base}: {some(shown, MOST_FAILURES)}."]
