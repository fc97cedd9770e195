"""Grid: the rows and columns that the table, Markdown and LaTeX forms share; and the lines below them.

Runs go down and measures across, as papers print them; where that would be too wide, measures go down and
runs across. With `per_query`, each query has its rows; the last rows, named `all`, are those of all queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.measuring.records import Evaluation
from rankproof.reading.records import DEFAULT_ORDER

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


def grid(evaluations: Sequence[Evaluation], per_query: bool, wide: int = WIDE) -> Grid:
    """Runs down and measures across, unless that is wider than `wide` columns and the other way is less so."""
    overall = _overall(evaluations)
    table = _runs_down(evaluations, overall, per_query)
    widths = [*map(len, table.header)]
    for row in table.rows:
        for i, cell in enumerate(row):
            widths[i] = max(widths[i], len(cell.text))
    # Each column has room for the mark of the best, and a blank before it.
    if sum(widths) + 2 * len(widths) <= wide:
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
    return lines + _findings(evaluations)


# How many runs a line names before it only counts.
NAMED = 3
# What begins lines of the fine print that the short form says in another way, or leaves to the whole.
MISSING, FEW_JUDGED, JUDGED = "missing from the run: ", "few of the first ", "Judged@"
NO_RELEVANT = "without a relevant document: "


def short_notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """The notes that make the numbers other numbers: queries, missing ones, few judgments, dialect, ties, depth.

    Only what is known to be harmless is left out: a measure's own definition, the usual order, shares of judged
    documents that are not low. A line that holds for several runs stands once.
    """
    several, lacking, findings = len(evaluations) > 1, [], False
    lines: dict[str, list[str]] = {}
    for run in evaluations:
        known = [f"order: {DEFAULT_ORDER}"]
        for text, result in run.results.items():
            known.append(f"{text}: {result.note()}")
            if result.undefined:  # that line says it of each measure
                known.append(NO_RELEVANT)
        findings = findings or bool(run.findings)
        if run.population.missing:
            lacking.append(run)
        for line in run.fine_print:
            apart = line.startswith(MISSING) or (several and line.startswith(JUDGED))
            if not (apart or line in known or (line.startswith(NO_RELEVANT) and NO_RELEVANT in known)):
                lines.setdefault(line, []).append(run.run_name)
    notes = []
    for line, runs in lines.items():
        if line.startswith(FEW_JUDGED):
            within = line.removeprefix(FEW_JUDGED).partition(" documents")[0]
            of = "" if not several else f" of {_some(runs)}"
            notes.append(f"few of the first {within}{of} are judged: true values may be higher")
        else:
            notes.append(line if len(runs) == len(evaluations) else f"{_some(runs)}: {line}")
    if lacking:
        notes += _missing(lacking, several)
    if several and not same_queries(evaluations):
        notes.append("the runs are scored on different queries: their values do not compare")
    return notes + _findings(evaluations) if findings else notes


def _missing(lacking: Sequence[Evaluation], several: bool) -> list[str]:
    """Which runs lack judged queries, and what becomes of these."""
    if not several:
        return [line for line in lacking[0].fine_print if line.startswith(MISSING)]
    fate = {"zero": "count as empty rankings", "drop": "are left out", "blank": "count as 0 in every measure"}
    named = _some([f"{run.run_name} {len(run.population.missing)}" for run in lacking])
    return [f"missing queries {fate[lacking[0].population.missing_policy]}: {named}"]


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _findings(evaluations: Sequence[Evaluation]) -> list[str]:
    """What checks found, each once."""
    lines: dict[str, None] = {}
    for run in evaluations:
        for finding in run.findings:
            lines[f"{finding.severity}: {finding} [{finding.code}]"] = None
    return list(lines)


def _values(run: Evaluation) -> dict[str, dict[str, str]]:
    from rankproof.measuring.conversions import by_query

    return {text: by_query(result, as_range(run)) for text, result in run.results.items()}
