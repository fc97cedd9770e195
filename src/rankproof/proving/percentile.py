"""Bounds of a percentile by order statistics, which assume no shape of the distribution; and latencies from a file.

Of n independent requests the number that stay at or below the true percentile is binomial, so the r-th smallest is
an upper bound with confidence P(B <= r - 1), B ~ Binomial(n, share) (David and Nagaraja, Order Statistics, 3rd edition,
2003, section 7.1). The rule itself is a binomial test on how many requests go over the budget.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.errors import InputError
from rankproof.proving.rules.contract import Numbers
from rankproof.reading.source import open_source, require_text
from rankproof.reading.stream import objects

# More requests than will ever be timed.
MOST_REQUESTS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile of a sample, its one-sided bounds, and the p-value against "it is within the budget"."""

    value: float
    low: float
    high: float
    p_over: float
    over: int
    n: int


def nearest_rank(times: Numbers, share: float) -> float:
    """The least time that at least this share of the requests does not exceed.

    >>> nearest_rank(np.array([10.0, 20.0, 30.0, 40.0]), 0.5)
    20.0
    """
    ordered = np.sort(times)
    # The share of a whole number of requests may come out a hair above it.
    return float(ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1])


def percentile(times: Numbers, share: float, budget: float, level: float) -> Percentile:
    """The percentile with its bounds, each one-sided at `level`; infinite where there are too few requests."""
    from scipy.special import bdtr, bdtrc

    n, ordered = len(times), np.sort(times)
    below = np.asarray(bdtr(np.arange(n, dtype=np.float64), n, share))  # P(B <= i), i = 0, ..., n - 1
    up = int(np.searchsorted(below, level, side="left"))  # the first i with P(B <= i) >= level: bound x(i + 1)
    down = int(np.searchsorted(below, 1 - level, side="right")) - 1  # the last with P(B <= i) <= 1 - level
    over = int((ordered > budget).sum())
    p_over = 1.0 if over == 0 else float(bdtrc(over - 1, n, 1 - share))  # P(at least so many go over)
    return Percentile(
        nearest_rank(times, share),
        float(ordered[down]) if down >= 0 else -math.inf,
        float(ordered[up]) if up < n else math.inf,
        p_over,
        over,
        n,
    )


def requests_needed(over: int, n: int, share: float, level: float) -> int | None:
    """About how many requests decide it, if the share that goes over the budget stays as it was seen."""
    seen, allowed = over / n, 1 - share
    if seen == allowed:
        return None

    def enough(requests: int) -> bool:
        from scipy.special import bdtr, bdtrc

        exceed = round(seen * requests)
        tail = bdtr(exceed, requests, allowed) if seen < allowed else bdtrc(exceed - 1, requests, allowed)
        return bool(tail <= 1 - level)

    low, high = n, 2 * n
    while not enough(high):
        if high >= MOST_REQUESTS:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


# ---- latencies from a file -------------------------------------------------------------------------

# What the column of times may be called; the last column otherwise.
TIMES = ("milliseconds", "ms", "latency_ms", "time_ms", "duration_ms", "latency", "took")
EXAMPLE = "Give one request per line: query id, a tab, milliseconds"


def read_latencies(what: Any) -> Numbers:
    """Milliseconds, one per request: of a sequence of numbers, or of a file (TSV, CSV or JSON lines)."""
    if isinstance(what, list | tuple | np.ndarray):
        times = [_time(value, "the latencies", i) for i, value in enumerate(what, start=1)]
        return _some(times, "the latencies")
    source = open_source(what)
    require_text(source)
    text = source.text()
    read = _json_lines if text.lstrip().startswith("{") else _columns
    return _some(read(text, source.name), source.name)


def _some(times: list[float], name: str) -> Numbers:
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
