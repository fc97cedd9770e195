"""Times of a mode: its latency, one request at a time, and its throughput, several requests at once.

The two are never mixed. A server that answers one request after the other in 50 ms has a latency of 50 ms, however many
requests are sent to it at once; with four of them under way each waits 200 ms, and that is its time under load.

Intervals of percentiles are those of order statistics (`proving/percentile.py`), which the gate's rule `latency` uses
too: they assume independent requests and no shape of their times. Few requests bound a percentile on one side only, or
not at all: a two-sided 95% interval of a 95th percentile has an upper end from 72 requests on (1 - 0.95^72 = 0.9751).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.proving.percentile import nearest_rank, percentile

Milliseconds = NDArray[np.float64]

NOT_TIMED = "it was not timed"
REPLAYED = "its answers are replayed from a file"


@dataclass(frozen=True, slots=True)
class Timing:
    """How times are taken.

    queries       of each mode that are timed one at a time, at most; 0 takes no times
    warmup        requests to each mode before them, which are not counted
    concurrency   requests under way at once when throughput is measured; 0 measures none
    """

    queries: int = 100
    warmup: int = 5
    concurrency: int = 4

    def to_dict(self) -> dict[str, int]:
        """By the names that the configuration has for them."""
        return {
            "latency_queries": self.queries,
            "latency_warmup": self.warmup,
            "throughput_concurrency": self.concurrency,
        }


DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class Bounds:
    """The confidence interval of a percentile; None at an end that so few requests do not bound."""

    low: float | None = None
    high: float | None = None


NO_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of single queries, asked one at a time; None where none has a time, and then `why`.

    queries        how many have a time
    p50_bounds     the confidence interval of the median
    p95_bounds     and that of the 95th percentile
    failures       requests of the pass without a good answer, by kind: they have no time
    kept           queries without a time since a part of their answer came from a cache
    by_query       the times, in the order in which they were taken
    """

    queries: int
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    most: float | None = None
    p50_bounds: Bounds = NO_BOUNDS
    p95_bounds: Bounds = NO_BOUNDS
    failures: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0
    why: str = ""
    by_query: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it under `observed`; the single times stand in the mode's latency file."""
        return {
            "queries": self.queries,
            "p50": self.p50,
            "p95": self.p95,
            "p99": self.p99,
            "most": self.most,
            "intervals": {"p50": _ends(self.p50_bounds), "p95": _ends(self.p95_bounds)},
            "failures": dict(self.failures),
            "kept": self.kept,
            "why": self.why or None,
        }


@dataclass(frozen=True, slots=True)
class Throughput:
    """Answers per second with `concurrency` requests under way, and times under that load; None with `why`.

    queries      how many were answered
    seconds      from the first request to the last answer
    per_second   answers in a second
    p50, p95     milliseconds of a query under load, its wait at the server and for its turn included
    failures     requests without a good answer, by kind: neither answers nor times
    """

    concurrency: int
    queries: int = 0
    seconds: float | None = None
    per_second: float | None = None
    p50: float | None = None
    p95: float | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    why: str = ""

    def to_dict(self) -> dict[str, object]:
        """As JSON has it under `observed`."""
        return {
            "concurrency": self.concurrency,
            "queries": self.queries,
            "seconds": self.seconds,
            "per_second": self.per_second,
            "p50_under_load": self.p50,
            "p95_under_load": self.p95,
            "failures": dict(self.failures),
            "why": self.why or None,
        }


@dataclass(frozen=True, slots=True)
class ModeTimes:
    """Both times of one mode; no throughput where none was to be measured."""

    latency: Latency
    throughput: Throughput | None = None


def latency_of(
    by_query: Mapping[str, float],
    level: float = 0.95,
    *,
    failures: Mapping[str, int] | None = None,
    why: str = NOT_TIMED,
) -> Latency:
    """Percentiles of the times that are numbers, with intervals at a level; a time that is NaN came from a cache."""
    timed = {query: time for query, time in by_query.items() if math.isfinite(time)}
    failed, kept = dict(failures or {}), len(by_query) - len(timed)
    if not timed:
        return Latency(0, failures=failed, kept=kept, why=why)
    times = np.array(list(timed.values()), dtype=np.float64)
    p50, p95, p99 = (nearest_rank(times, share) for share in (0.5, 0.95, 0.99))
    return Latency(
        len(times), p50, p95, p99, float(times.max()), bounds_of(times, 0.5, level), bounds_of(times, 0.95, level),
        failed, kept, by_query=timed,
    )  # fmt: skip


def bounds_of(times: Milliseconds, share: float, level: float) -> Bounds:
    """The two-sided interval of a percentile: each end is a one-sided bound at half of what may be missed.

    >>> bounds_of(np.arange(1.0, 101.0), 0.5, 0.95)
    Bounds(low=40.0, high=61.0)
    >>> bounds_of(np.arange(1.0, 21.0), 0.95, 0.95)
    Bounds(low=17.0, high=None)
    """
    seen = percentile(times, share, math.inf, 1 - (1 - level) / 2)
    low, high = (end if math.isfinite(end) else None for end in (seen.low, seen.high))
    return Bounds(low, high)


def _ends(bounds: Bounds) -> list[float | None]:
    return [bounds.low, bounds.high]


@dataclass(frozen=True, slots=True)
class IndexUse:
    """An index that modes search, as its engine describes it; None for what it does not tell.

    engine   as the pipeline names it
    seconds  that making it took, once
    """

    engine: str
    modes: tuple[str, ...]
    documents: int | None
    bytes: int | None
    seconds: float | None

    def to_dict(self) -> dict[str, object]:
        """As JSON has it under `observed`."""
        return {
            "modes": list(self.modes),
            "documents": self.documents,
            "bytes": self.bytes,
            "seconds": None if self.seconds is None else round(self.seconds, 6),
        }
