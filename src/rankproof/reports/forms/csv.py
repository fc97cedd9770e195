"""Comma-separated values for a spreadsheet or a script: full precision, a row per run, or per run and query.

Columns: `run`, with `per_query` also `query_id`, then one column per measure. With `per_query` there is no
row for all queries, so that nobody counts it as one more. Where a measure has no value stands `undefined`,
never a number. A range over tied documents takes two columns, `least` and `greatest`. Fine print has no
place in this form: take `json` for it.

A comparison has a row per contrast, with `per_query` a row per query and a column per measure and system; a verdict has
a row per rule. A cell is empty where there is nothing; `reason` says why a contrast has no test.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence

from rankproof.kernel.data_table import DataTable
from rankproof.kernel.sections import UNDEFINED
from rankproof.measuring.conversions import query_ids
from rankproof.measuring.records import Evaluation, Result
from rankproof.proving.conversions import contrast_table
from rankproof.proving.conversions import query_table as contrasted_queries
from rankproof.proving.leaderboard_records import Leaderboard, board_table
from rankproof.proving.records import Comparison
from rankproof.proving.verdict import Verdict, ruling_table
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import as_range


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """A header and the rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    first = evaluations[0]
    ends = (" least", " greatest") if as_range(first) else ("",)
    measures = [f"{text}{end}" for text in first.results for end in ends]
    writer.writerow(["run", *(["query_id"] if per_query else []), *measures])
    for run in evaluations:
        if per_query:
            writer.writerows(_queries(run))
        else:
            writer.writerow([run.run_name, *(c for r in run.results.values() for c in _overall(run, r))])
    return out.getvalue()


def _overall(run: Evaluation, result: Result) -> list[str]:
    if as_range(run) and result.ties is not None:
        return [_exact(result.ties.least), _exact(result.ties.greatest)]
    return [_exact(result.mean)] if result.labels is None else [""]


def _queries(run: Evaluation) -> Iterator[list[str]]:
    columns = [column for result in run.results.values() for column in _columns(run, result)]
    for query in query_ids(run):
        yield [run.run_name, query, *(column.get(query, UNDEFINED) for column in columns)]


def _columns(run: Evaluation, result: Result) -> list[dict[str, str]]:
    """One column, or two for a range; queries where the measure is undefined are left out."""
    if result.labels is not None:
        return [dict(result.labels)]
    values = [result.values]
    if as_range(run) and result.ties is not None:
        values = [result.ties.by_query[:, 0], result.ties.by_query[:, 2]]
    undefined = set(result.undefined)
    return [
        {
            query: _exact(value)
            for query, value in zip(result.query_ids, column.tolist(), strict=True)
            if query not in undefined
        }
        for column in values
    ]


def _exact(value: float) -> str:
    """The shortest text that reads back to the same number."""
    return UNDEFINED if math.isnan(value) else repr(float(value))


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The columns of `Comparison.to_pandas`."""
    return _data(contrasted_queries(comparison) if per_query else contrast_table(comparison))


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The columns of `Verdict.to_pandas`."""
    return _data(ruling_table(verdict))


def _data(table: DataTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.text for column in table.columns])
    for row in table.rows():
        writer.writerow(["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row])
    return out.getvalue()


def leaderboard(leaderboard: Leaderboard, *, observed: Mapping[str, object]) -> str:
    """The columns of `Leaderboard.to_pandas`."""
    return _data(board_table(leaderboard))


OFFERS = (Report("csv", __doc__, render, ".csv", "text/csv", comparison, verdict, leaderboard=leaderboard),)
