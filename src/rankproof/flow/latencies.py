"""Latencies: how long requests took, from a file with one request per line."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.flow.jsonlines import objects
from rankproof.flow.source import open_source, require_text

# What the column of times may be called; the last column otherwise.
TIMES = ("milliseconds", "ms", "latency_ms", "time_ms", "duration_ms", "latency", "took")
EXAMPLE = "Give one request per line: query id, a tab, milliseconds"


def read_latencies(what: Any) -> NDArray[np.float64]:
    """Milliseconds, one per request: of a sequence of numbers, or of a file (TSV, CSV or JSON lines)."""
    if isinstance(what, list | tuple | np.ndarray):
        times = [_time(value, "the latencies", i) for i, value in enumerate(what, start=1)]
        return _some(times, "the latencies")
    source = open_source(what)
    require_text(source)
    text = source.text()
    read = _json_lines if text.lstrip().startswith("{") else _columns
    return _some(read(text, source.name), source.name)


def _some(times: list[float], name: str) -> NDArray[np.float64]:
    if not times:
        raise InputError(f"{name} holds no request. {EXAMPLE}.")
    return np.array(times, dtype=np.float64)


def _columns(text: str, name: str) -> list[float]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = "\t" if "\t" in first else "," if "," in first else " "
    times: list[float] = []
    at: int | None = None
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        cells = [cell.strip() for cell in row if cell.strip()] if delimiter == " " else [cell.strip() for cell in row]
        if not any(cells):
            continue
        if at is None:
            at, is_header = _column(cells)
            if is_header:
                continue
        if len(cells) <= at:
            raise InputError(f"{name}, line {reader.line_num}: there is no time in it. {EXAMPLE}.")
        times.append(_time(cells[at], name, reader.line_num))
    return times


def _column(cells: list[str]) -> tuple[int, bool]:
    """Which column has the times, and whether these cells are the header."""
    folded = [cell.casefold() for cell in cells]
    for known in TIMES:
        if known in folded:
            return folded.index(known), True
    return len(cells) - 1, False


def _json_lines(text: str, name: str) -> list[float]:
    times = []
    for number, found in objects(text, name):
        keys = [key for key in TIMES if key in found]
        if not keys:
            raise InputError(f"{name}, line {number}: there is no time in it. Give one of: {', '.join(TIMES)}.")
        times.append(_time(found[keys[0]], name, number))
    return times


def _time(value: Any, name: str, line: int) -> float:
    try:
        time = float(value)
    except (TypeError, ValueError):
        time = math.nan
    if isinstance(value, bool) or not math.isfinite(time) or time < 0:
        raise InputError(f"{name}, line {line}: {value!r:.40} is no time in milliseconds, 0 or more. {EXAMPLE}.")
    return time
