"""What an Evaluation turns into: a dict, an Arrow table, a pandas or a polars frame.

Reached through the methods of Evaluation. The libraries are imported when asked for and not before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankproof.errors import MissingExtra
from rankproof.records import show

if TYPE_CHECKING:
    from rankproof.records.evaluation import Evaluation, Result, TieRange


def to_dict(evaluation: Evaluation, by_query: bool = True) -> dict[str, Any]:
    """Plain dicts, lists, numbers and texts, ready for JSON. A value that does not exist is None."""
    return {
        "run": evaluation.run_name,
        "dialect": evaluation.dialect,
        "settings": asdict(evaluation.settings),
        "measures": {text: _result(r, by_query) for text, r in evaluation.results.items()},
        "population": _population(evaluation),
        "fine_print": list(evaluation.fine_print),
        "findings": [found.to_dict() for found in evaluation.findings],
        "spelled": dict(evaluation.spelled),
    }


def columns(evaluation: Evaluation) -> dict[str, list[Any]]:
    """`query_id` and one column per measure: the values that count in the mean, None where none counts."""
    ids = show.query_ids(evaluation)
    found: dict[str, list[Any]] = {"query_id": ids}
    for text, result in evaluation.results.items():
        values: Mapping[str, Any] = result.by_query if result.labels is None else result.labels
        found[text] = [values.get(query) for query in ids]
    return found


def to_arrow(evaluation: Evaluation) -> Any:
    """A pyarrow Table: `query_id` as text, measures as float64, with nulls."""
    arrow = _library("pyarrow", "An Arrow table", "arrow")
    text = [name for name, r in evaluation.results.items() if r.labels is not None]
    return arrow.table(
        {
            name: arrow.array(values, arrow.string() if name in ("query_id", *text) else arrow.float64())
            for name, values in columns(evaluation).items()
        }
    )


def to_pandas(evaluation: Evaluation) -> Any:
    """A pandas DataFrame with the columns of `columns`."""
    return _library("pandas", "A pandas frame", "pandas").DataFrame(columns(evaluation))


def to_polars(evaluation: Evaluation) -> Any:
    """A polars DataFrame with the columns of `columns`."""
    return _library("polars", "A polars frame", "polars").DataFrame(columns(evaluation))


def _library(name: str, what: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise  # the library is there and broken: its own error says more
        raise MissingExtra(what, name, extra) from None


def _real(value: float) -> float | None:
    """JSON has no NaN: a value that does not exist is null."""
    return None if math.isnan(value) else float(value)


def _result(result: Result, by_query: bool) -> dict[str, Any]:
    out: dict[str, Any] = {
        "value": _real(result.mean),
        "aggregate": result.aggregate,
        "better": result.better,
        "whole": result.whole,
        "undefined": list(result.undefined),
        "fine_print": result.fine_print,
    }
    if result.ties is not None:
        out["ties"] = _ties(result.ties, result, by_query)
    if by_query:
        out["by_query"] = (
            dict(result.labels)
            if result.labels is not None
            else {query: _real(value) for query, value in result.by_query.items()}
        )
    return out


def _ties(ties: TieRange, result: Result, by_query: bool) -> dict[str, Any]:
    out: dict[str, Any] = {
        "least": _real(ties.least),
        "expected": _real(ties.expected),
        "greatest": _real(ties.greatest),
        "exact": ties.exact,
        "note": ties.note,
    }
    if by_query:
        out["by_query"] = dict(zip(result.query_ids, ties.by_query.tolist(), strict=True))
    return out


def _population(evaluation: Evaluation) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in asdict(evaluation.population).items()
    }
