"""Grid: the rows and columns that the table, Markdown and LaTeX forms share; and the lines below them.

Runs go down and measures across, as papers print them; where that would be too wide, measures go down and
runs across. With `per_query`, each query has its rows; the last rows, named `all`, are those of all queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.measuring.records import Evaluation
from rankproof.reading.finding import Finding

# Columns of text beyond which a line no longer fits a usual window.
WIDE = 120
ALL = "all"


@dataclass(frozen=True, slots=True)
class GridCell:
    """One text of a grid; `best` where it is the best of its measure."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Header and rows; the first `names` columns are names, the others values."""

    header: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    names: int


def grid(evaluations: Sequence[Evaluation], per_query: bool) -> Grid:
    """Runs down and measures across, unless that is too wide."""
    overall = _overall(evaluations)
    table = _runs_down(evaluations, overall, per_query)
    widths = [*map(len, table.header)]
    for row in table.rows:
        for i, cell in enumerate(row):
            widths[i] = max(widths[i], len(cell.text))
    # Each column has room for the mark of the best, and a blank before it.
    if sum(widths) + 2 * len(widths) <= WIDE:
        return table
    return _measures_down(evaluations, overall, per_query)


def _overall(evaluations: Sequence[Evaluation]) -> list[tuple[GridCell, ...]]:
    """The values of all queries together: for each run one cell by measure."""
    best = {}
    if len(evaluations) > 1:
        for text in evaluations[0].results:
            best[text] = best_runs(evaluations, text)
    rows = []
    for i, run in enumerate(evaluations):
        row = {}
        for text in evaluations[0].results:
            value = run.results[text].overall(as_range=run.settings.ties == "range")
            row[text] = GridCell(value, i in best.get(text, ()))
        rows.append(tuple(row.values()))
    return rows


def _runs_down(evaluations: Sequence[Evaluation], overall: list[tuple[GridCell, ...]], per_query: bool) -> Grid:
    measures = tuple(evaluations[0].results)
    rows = []
    for run, cells in zip(evaluations, overall, strict=True):
        rows.append((GridCell(run.run_name), *cells))
    if not per_query:
        return Grid(("run", *measures), tuple(rows), 1)
    values = [_values(run) for run in evaluations]
    queries = [
        (GridCell(query), GridCell(run.run_name), *(GridCell(shown[text].get(query, "")) for text in measures))
        for query in query_ids(evaluations)
        for run, shown in zip(evaluations, values, strict=True)
    ]
    return Grid(("query_id", "run", *measures), (*queries, *((GridCell(ALL), *row) for row in rows)), 2)


def _measures_down(evaluations: Sequence[Evaluation], overall: list[tuple[GridCell, ...]], per_query: bool) -> Grid:
    measures = tuple(evaluations[0].results)
    names = tuple(run.run_name for run in evaluations)
    rows = [(GridCell(text), *cells) for text, cells in zip(measures, zip(*overall, strict=True), strict=True)]
    if not per_query:
        return Grid(("measure", *names), tuple(rows), 1)
    values = [_values(run) for run in evaluations]
    queries = [
        (GridCell(query), GridCell(text), *(GridCell(shown[text].get(query, "")) for shown in values))
        for query in query_ids(evaluations)
        for text in measures
    ]
    return Grid(("query_id", "measure", *names), (*queries, *((GridCell(ALL), *row) for row in rows)), 2)


def query_ids(evaluations: Sequence[Evaluation]) -> list[str]:
    """Every query that some run was scored on, in the order of the first run that has it."""
    from rankproof.measuring.conversions import query_ids as ids_of

    return list(dict.fromkeys(query for run in evaluations for query in ids_of(run)))


def best_runs(evaluations: Sequence[Evaluation], text: str) -> frozenset[int]:
    """Which runs have the best value of a measure; none where values do not differ or do not compare."""
    results = [run.results[text] for run in evaluations]
    better = results[0].better
    values = [result.mean for result in results]
    # A range has no best, and values over different queries do not compare. NaN differs from itself.
    if better == "neither" or as_range(evaluations[0]) or any(v != v for v in values):
        return frozenset()
    if len(set(values)) == 1 or not same_queries(evaluations):
        return frozenset()
    top = max(values) if better == "higher" else min(values)
    return frozenset(i for i, value in enumerate(values) if value == top)


def same_queries(evaluations: Sequence[Evaluation]) -> bool:
    """Whether every measure was scored on the same queries in all runs, apart from where it is undefined."""
    first = evaluations[0]
    return all(
        {*run.results[text].query_ids, *run.results[text].undefined}
        == {*first.results[text].query_ids, *first.results[text].undefined}
        for run in evaluations[1:]
        for text in first.results
    )


def as_range(evaluation: Evaluation) -> bool:
    """Whether values are shown as least and greatest over the orders of tied documents."""
    return evaluation.settings.ties == "range"


def notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """The lines below a table: what all runs share once, then what is specific to each run."""
    first, several = evaluations[0], len(evaluations) > 1
    lines = list(first.fine_print)
    if several:
        shared = [line for line in lines if all(line in other.fine_print for other in evaluations[1:])]
        lines = list(shared)
        for run in evaluations:
            lines += [f"{run.run_name}: {line}" for line in run.fine_print if line not in shared]
        if not same_queries(evaluations):
            lines.append("the runs are scored on different queries: their values do not compare")
    findings: dict[Finding, None] = {}
    for run in evaluations:
        findings.update(dict.fromkeys(run.findings))
    for finding in findings:
        lines.append(f"{finding.severity}: {finding} [{finding.code}]")
    return lines


def _values(run: Evaluation) -> dict[str, dict[str, str]]:
    from rankproof.measuring.conversions import by_query

    return {text: by_query(result, as_range(run)) for text, result in run.results.items()}
