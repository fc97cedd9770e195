"""Cells of score tables: what is a number, what is missing, and what is neither."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Beyond this a sum of squares, or of fourth powers, of many differences may overflow.
LARGEST = 1e60
MISSING = frozenset({"", "nan", "none", "null", "na", "n/a"})
TRUTH = {"true": 1.0, "false": 0.0}


def column_numbers(rows: Sequence[Mapping[str, Any]], column: str) -> tuple[NDArray[np.float64], int | None]:
    """The column as numbers, and the first row in which it is none."""
    values = np.full(len(rows), math.nan)
    for i, row in enumerate(rows):
        value = cell_number(row.get(column))
        if value is None:
            return values, i
        values[i] = value
    return values, None


def cell_number(cell: Any) -> float | None:
    """The cell as a number, NaN where it is missing; None where it is something else."""
    if is_missing(cell):
        return math.nan
    if isinstance(cell, str):
        word = cell.strip().casefold()
        if word in MISSING:
            return math.nan
        if word in TRUTH:
            return TRUTH[word]
        try:
            value = float(word)
        except ValueError:
            return None
        # "1_000" is a number to Python and a typing error to everybody else.
        return None if "_" in word or abs(value) > LARGEST else value
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if abs(value) > LARGEST else value


def is_too_large(cell: Any) -> bool:
    """Whether a cell is infinite, or a number whose powers overflow: a score that must not be left out in silence."""
    try:
        return abs(float(cell)) > LARGEST
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, or what pandas writes for them, NA and NaT."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


def share_of_numbers(rows: Sequence[Mapping[str, Any]], column: str) -> float:
    """The share of numbers among the cells of a column that are not missing; 0 where all are missing."""
    cells = [cell_number(row.get(column)) is not None for row in rows if cell_text(row.get(column))]
    return sum(cells) / max(len(cells), 1)


def cell_shown(rows: Sequence[Mapping[str, Any]], column: str, wrong: int | None) -> str:
    """What stands in a column that is no score, and where."""
    if wrong is None:
        return f"{column!r} has no value at all"
    return f"{column!r} has {str(rows[wrong].get(column))[:40]!r} in row {wrong + 1}"


def cell_text(cell: Any) -> str:
    """The name of a unit or a system; whole numbers without decimals, as different tools write the same id."""
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
