"""Values: the page of evaluations alone: a table of runs and measures, a chart for each measure, each query."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.kernel.sections import counted
from rankproof.measuring.records import Evaluation
from rankproof.reports.charts.values import can_draw, value_chart
from rankproof.reports.grid import Grid, grid
from rankproof.reports.page.elements import Column, PageCell, PageSection, Safe, figure, fold, listed, table, tag

# More charts than this are folded away.
OPEN_CHARTS = 4
MOST_CHARTS = 24
# More names than this are no title.
MOST_NAMED = 4


def head(evaluations: Sequence[Evaluation]) -> Safe:
    """Which runs, on how many queries."""
    return tag("h1", title(evaluations), class_="claim")


def title(evaluations: Sequence[Evaluation]) -> str:
    """The names of a few runs, the number of many."""
    several = len(evaluations) > MOST_NAMED
    return "Evaluation of " + (f"{len(evaluations)} runs" if several else ", ".join(e.run_name for e in evaluations))


def facts(evaluations: Sequence[Evaluation]) -> Safe:
    """What it rests on."""
    queries = dict.fromkeys(f"{e.population.scored:,} of {e.population.judged:,} judged" for e in evaluations)
    return listed([
        ("Runs", f"{len(evaluations)}"), ("Queries", "; ".join(queries)),
        ("Conventions", ", ".join(dict.fromkeys(e.dialect for e in evaluations))),
    ])  # fmt: skip


def section(evaluations: Sequence[Evaluation]) -> PageSection:
    """Means and charts."""
    drawn = [m for m in evaluations[0].results if can_draw(evaluations, m)][:MOST_CHARTS]
    charts = [_chart(evaluations, measure, explained=i == 0) for i, measure in enumerate(drawn)]
    folded = charts[OPEN_CHARTS:]
    return PageSection(
        "values",
        "Values",
        None,
        (
            _table("Value of each measure over all queries; the best in bold", grid(evaluations, per_query=False)),
            tag("p", "Whether a difference is more than chance is another question: compare the runs.", class_="note")
            if len(evaluations) > 1
            else None,
            *charts[:OPEN_CHARTS],
            fold(counted(len(folded), "more chart"), *folded),
        ),
    )


def queries(evaluations: Sequence[Evaluation]) -> PageSection:
    """Each query's values."""
    search = tag("input", type="search", id="search", autocomplete="off")
    tools = tag("p", tag("label", "Search ", search), tag("output", for_="search"), class_="tools", hidden=True)
    values_table = _table("Values by query", grid(evaluations, per_query=True), id_="query-table")
    return PageSection("queries", "Queries", None, (tools, values_table))


def _chart(evaluations: Sequence[Evaluation], measure: str, explained: bool) -> Safe:
    results = [e.results[measure] for e in evaluations]
    tips = [[e.run_name, f"{measure} {r.mean:.4f}"] for e, r in zip(evaluations, results, strict=True)]
    label = f"{measure}: " + ", ".join(" ".join(tip) for tip in tips)
    caption = "The dot is the value of all queries together; a tick is one query." if explained else None
    return figure(lambda look: value_chart(evaluations, measure, look), label, caption, title=measure, tips=tips)


def _table(caption: str, values_grid: Grid, id_: str | None = None) -> Safe:
    columns = [
        Column(name, "name" if i < values_grid.names else "number", "text" if i < values_grid.names else "number")
        for i, name in enumerate(values_grid.header)
    ]
    rows = [
        [PageCell(tag("strong", cell.text) if cell.best else cell.text, _value(cell.text, i >= values_grid.names))
         for i, cell in enumerate(row)]
        for row in values_grid.rows
    ]  # fmt: skip
    return table(caption, columns, rows, id_=id_)


def _value(text: str, is_number: bool) -> float | str | None:
    """What a cell is sorted by: the number in it, where it holds one."""
    if not is_number:
        return None
    try:
        return float(text)
    except ValueError:
        return None
