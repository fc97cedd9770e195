"""Evaluations as dicts, tables of data, lines of text, rich tables and HTML: what their methods call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankproof.kernel.data_table import DataCell, DataColumn, DataTable
from rankproof.kernel.prompt_tables import RichTable, html_table
from rankproof.kernel.sections import UNDEFINED, counted, number

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation, Result, TieRange


def to_dict(evaluation: Evaluation, by_query: bool = True) -> dict[str, object]:
    """Plain dicts, lists, numbers and texts, ready for JSON. A value that does not exist is None."""
    return {
        "run": evaluation.run_name,
        "dialect": evaluation.dialect,
        "settings": asdict(evaluation.settings),
        "measures": {text: _result(r, by_query) for text, r in evaluation.results.items()},
        "population": _population(evaluation),
        "fine_print": list(evaluation.fine_print),
        "findings": [finding.to_dict() for finding in evaluation.findings],
        "spelled": dict(evaluation.spelled),
    }


def query_table(evaluation: Evaluation) -> DataTable:
    """A row per query and a column per measure: the values that count in the mean, None where none counts."""
    ids = query_ids(evaluation)
    columns = [_by_query(result, text, ids) for text, result in evaluation.results.items()]
    return DataTable((DataColumn("query_id", ids, "text"), *columns), index=1)


def run_table(evaluations: Sequence[Evaluation]) -> DataTable:
    """A row per run and a column per measure: the values of all queries together."""
    columns = [DataColumn("run", [evaluation.run_name for evaluation in evaluations], "text")]
    for text in dict.fromkeys(text for evaluation in evaluations for text in evaluation.results):
        results = [evaluation.results.get(text) for evaluation in evaluations]
        # Texts have no mean.
        values = [None if r is None or r.labels is not None else _real(r.mean) for r in results]
        columns.append(DataColumn(text, values))
    return DataTable(tuple(columns), index=1)


def system_table(evaluations: Sequence[Evaluation], measures: Sequence[str], word: str) -> DataTable:
    """A row per query and a column per measure and run; `word` is what runs are called in the levels of the columns."""
    ids = list(dict.fromkeys(query for evaluation in evaluations for query in query_ids(evaluation)))
    columns = [
        _by_query(evaluation.results[text], (text, evaluation.run_name), ids)
        for text in measures
        for evaluation in evaluations
    ]
    return DataTable((DataColumn("query_id", ids, "text"), *columns), index=1, levels=("measure", word))


def _by_query(result: Result, name: str | tuple[str, ...], ids: Sequence[str]) -> DataColumn:
    values: Mapping[str, DataCell] = {**(result.by_query if result.labels is None else result.labels)}
    return DataColumn(name, [values.get(query) for query in ids], "number" if result.labels is None else "text")


def _real(value: float) -> float | None:
    """JSON has no NaN: a value that does not exist is null."""
    return None if math.isnan(value) else float(value)


def _result(result: Result, by_query: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "value": _real(result.mean),
        "aggregate": result.aggregate,
        "better": result.better,
        "whole": result.whole,
        "undefined": list(result.undefined),
        "fine_print": result.fine_print,
    }
    if result.ties is not None:
        document["ties"] = _ties(result.ties, result, by_query)
    if by_query:
        document["by_query"] = (
            dict(result.labels)
            if result.labels is not None
            else {query: _real(value) for query, value in result.by_query.items()}
        )
    return document


def _ties(ties: TieRange, result: Result, by_query: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "least": _real(ties.least),
        "expected": _real(ties.expected),
        "greatest": _real(ties.greatest),
        "exact": ties.exact,
        "note": ties.note,
    }
    if by_query:
        document["by_query"] = dict(zip(result.query_ids, ties.by_query.tolist(), strict=True))
    return document


def _population(evaluation: Evaluation) -> dict[str, object]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in asdict(evaluation.population).items()
    }


def html(evaluation: Evaluation) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    title, rows = _at_a_glance(evaluation)
    drawn = charts(evaluation)
    return html_table("evaluation", title, (), rows, evaluation.fine_print, below=drawn)


def _at_a_glance(evaluation: Evaluation) -> tuple[str, list[tuple[str, str]]]:
    as_range = evaluation.settings.ties == "range"
    rows = [(text, result.overall(as_range)) for text, result in evaluation.results.items()]
    return f"{evaluation.run_name}, {_queries(evaluation)}", rows


def charts(shown: object) -> str:
    """Charts drawn by the HTML report, which is found on the shelf by name so that records need not import reports."""
    from rankproof.kernel import shelf

    drawn: str = shelf.find("reports", "html").cell(shown)
    return drawn


def rich(evaluation: Evaluation) -> RichTable:
    """A table with the fine print below it."""
    title, rows = _at_a_glance(evaluation)
    return RichTable(title, ("measure", "value"), rows, evaluation.fine_print)


def by_query(result: Result, as_range: bool = False) -> dict[str, str]:
    """Each query's value as text; a word where the measure has none, whatever that counts as in the mean."""
    if result.labels is not None:
        return dict(result.labels)
    if as_range and result.ties is not None:
        shown = {
            query: f"[{number(least, result.whole)}, {number(greatest, result.whole)}]"
            for query, (least, _, greatest) in zip(result.query_ids, result.ties.by_query.tolist(), strict=True)
        }
    else:
        shown = {query: number(value, result.whole) for query, value in result.by_query.items()}
    shown.update(dict.fromkeys(result.undefined, UNDEFINED))
    return shown


def query_ids(evaluation: Evaluation) -> list[str]:
    """Every query that some measure has an entry for, in the order of the measure with the most entries."""
    every_id: dict[str, None] = {}
    for result in sorted(evaluation.results.values(), key=lambda r: -len(r.query_ids)):
        every_id.update(dict.fromkeys(result.query_ids))
    for result in evaluation.results.values():
        every_id.update(dict.fromkeys(result.undefined))
    return list(every_id)


def _queries(evaluation: Evaluation) -> str:
    return counted(evaluation.population.scored, "query", "queries")


# How many measures a line at a prompt names.
FEW_MEASURES = 6


def line(evaluation: Evaluation) -> str:
    """One line for a prompt: run, the first measures and their values, number of queries."""
    as_range = evaluation.settings.ties == "range"
    values = [f"{text} {r.overall(as_range)}".rstrip() for text, r in evaluation.results.items()]
    more = [f"and {len(values) - FEW_MEASURES} more"] if len(values) > FEW_MEASURES else []
    told = ", ".join(values[:FEW_MEASURES] + more)
    return f"<Evaluation of {evaluation.run_name}: {told}; {_queries(evaluation)}>"
