"""An Evaluation as text, dict, Arrow table, pandas or polars frame, rich table and HTML.

The methods of Evaluation call these functions. The libraries are imported on first use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any

from rankproof.kernel.libraries import library
from rankproof.kernel.sections import UNDEFINED, counted, number

if TYPE_CHECKING:
    from rich.console import Group

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


Cell = str | float | None


def columns(evaluation: Evaluation) -> dict[str, list[Cell]]:
    """`query_id` and one column per measure: the values that count in the mean, None where none counts."""
    ids = query_ids(evaluation)
    table: dict[str, list[Cell]] = {"query_id": [*ids]}
    for text, result in evaluation.results.items():
        values: Mapping[str, float | str] = result.by_query if result.labels is None else result.labels
        table[text] = [values.get(query) for query in ids]
    return table


def to_arrow(evaluation: Evaluation) -> Any:
    """A pyarrow Table: `query_id` as text, measures as float64, with nulls."""
    arrow = library("pyarrow", "An Arrow table")
    text = [name for name, r in evaluation.results.items() if r.labels is not None]
    return arrow.table(
        {
            name: arrow.array(values, arrow.string() if name in ("query_id", *text) else arrow.float64())
            for name, values in columns(evaluation).items()
        }
    )


def to_pandas(evaluation: Evaluation) -> Any:
    """A pandas DataFrame with the columns of `columns`."""
    return library("pandas", "A pandas frame").DataFrame(columns(evaluation))


def to_polars(evaluation: Evaluation) -> Any:
    """A polars DataFrame with the columns of `columns`."""
    return library("polars", "A polars frame").DataFrame(columns(evaluation))


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


# No color of its own: text and lines take the page's, so light and dark notebooks both stay readable.
BOX = "color:inherit;background:transparent;font-variant-numeric:tabular-nums"
TABLE = "border-collapse:collapse;background:transparent;color:inherit;margin:0.3em 0"
CELL = "padding:0.15em 0.9em;border-bottom:1px solid rgba(128,128,128,0.4);background:transparent"
FINE = "font-size:0.85em;opacity:0.8;margin:0.3em 0 0;padding-left:1.2em"


def html(evaluation: Evaluation) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    as_range = evaluation.settings.ties == "range"
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};text-align:left">{escape(text)}</th>'
        f'<td style="{CELL};text-align:right">{escape(result.overall(as_range))}</td></tr>'
        for text, result in evaluation.results.items()
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in evaluation.fine_print)
    return (
        f'<div class="rankproof-evaluation" style="{BOX}"><table style="{TABLE}">'
        f'<caption style="text-align:left;color:inherit"><strong>{escape(evaluation.run_name)}</strong>, '
        f"{_queries(evaluation)}</caption>"
        f"<tbody>{rows}</tbody></table>"
        + (f'<ul style="{FINE}">{notes}</ul>' if notes else "")
        + f"{charts(evaluation)}</div>"
    )


def charts(shown: object) -> str:
    """Charts drawn by the HTML report, which is found on the shelf by name so that records need not import reports."""
    from rankproof.kernel import shelf

    drawn: str = shelf.find("reports", "html").cell(shown)
    return drawn


def rich(evaluation: Evaluation) -> Group:
    """A rich table; texts are put in as texts, so that brackets in names are not read as markup."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    as_range = evaluation.settings.ties == "range"
    table = Table(title=Text(f"{evaluation.run_name}, {_queries(evaluation)}"))
    table.add_column("measure")
    table.add_column("value", justify="right")
    for text, result in evaluation.results.items():
        table.add_row(Text(text), Text(result.overall(as_range)))
    return Group(table, *(Text(note, style="dim") for note in evaluation.fine_print))


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


def line(evaluation: Evaluation) -> str:
    """One line for a prompt: run, measures and their values, number of queries."""
    as_range = evaluation.settings.ties == "range"
    values = ", ".join(f"{text} {r.overall(as_range)}" for text, r in evaluation.results.items())
    return f"<Evaluation of {evaluation.run_name}: {values}; {_queries(evaluation)}>"
