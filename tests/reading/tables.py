"""Tables of pandas, polars, pyarrow and DuckDB, made from the same columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest


def frames() -> dict[str, Callable[[Mapping[str, list[Any]]], Any]]:
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    return {
        "pyarrow": pyarrow.table,
        "batches": lambda columns: pyarrow.table(columns).to_reader(),
        "pandas": pandas.DataFrame,
        "polars": polars.DataFrame,
        "duckdb": lambda columns: duckdb.from_arrow(pyarrow.table(columns)),
    }


KINDS = ["pyarrow", "batches", "pandas", "polars", "duckdb"]
