"""Comma-separated values for a spreadsheet or a script: full precision, a row per run, or per run and query.

Columns: `run`, with `per_query` also `query_id`, then one column per measure. With `per_query` there is no
row for all queries, so that nobody counts it as one more. Where a measure has no value stands `undefined`,
never a number. A range over tied documents takes two columns, `least` and `greatest`. Fine print has no
place in this form: take `json` for it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence

from rankproof.kernel.sections import UNDEFINED
from rankproof.measuring.conversions import query_ids
from rankproof.measuring.records import Evaluation, Result
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


OFFERS = (Report("csv", __doc__, render, ".csv", "text/csv"),)
