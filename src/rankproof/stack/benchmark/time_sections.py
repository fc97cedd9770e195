"""Times as sections: latency of one request at a time, and throughput of several at once, never in one table; and the
times and sizes of indexes, which no query pays for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from rankproof.kernel.sections import Section, confidence_interval, counted
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.times import Bounds, IndexUse, Latency
from rankproof.stack.benchmark.worth import listed

if TYPE_CHECKING:
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.records import ModeOutcome

# What the time of a mode is: it stands beside the numbers, because a service may do better.
TIMES = (
    "Milliseconds are latency: one request at a time. A mode's time is the sum of its steps, also of those that could "
    "run side by side."
)
# What an engine may have in its `observed`.
DOCUMENTS: Final = "index_documents"
BYTES: Final = "index_bytes"
SECONDS: Final = "index_seconds"
_LINE = (
    "Seconds are those of making the index, once and on the machine that did it: no query waits for them. Bytes are "
    "what its engine says of its files or its memory, so that two engines may count other things."
)


def untimed(benchmark: Benchmark) -> Iterator[str]:
    """Which modes have no latency, and why."""
    reasons: dict[str, list[str]] = {}
    for row in benchmark.rows:
        if not row.latency.queries:
            reasons.setdefault(row.latency.why, []).append(row.mode)
    for why, modes in reasons.items():
        yield f"No latency of {listed(modes)}: {why}."


def latencies(benchmark: Benchmark) -> Section:
    """Median and 95th percentile with their intervals, and what failed."""
    timed = [row for row in benchmark.rows if row.latency.queries or row.latency.failures]
    if not timed:
        return Section("")
    level = confidence_interval(benchmark.config.design.confidence, short=True)
    rows: list[tuple[str, ...]] = [
        ("mode", "queries", "p50 ms", f"{level} of p50", "p95 ms", f"{level} of p95", "failed")
    ]
    rows += [(row.mode, *_cells(row.latency)) for row in timed]
    warmup = counted(benchmark.config.timing.warmup, "request")
    lines = [
        f"Never more than one request under way; modes take turns in random order, after {warmup} of each to warm up. "
        "Intervals are of order statistics and assume independent requests."
    ]
    for row in timed:
        if row.latency.failures:
            kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(row.latency.failures.items()))
            lines.append(f"{row.mode}: requests that failed have no time: {kinds}.")
        if row.latency.kept:
            answers = counted(row.latency.kept, "query has", "queries have")
            lines.append(f"{row.mode}: {answers} no time: a part of the answer came from a cache.")
    return Section("Latency, one request at a time", tuple(lines), tuple(rows), folded=True)


def _cells(latency: Latency) -> tuple[str, ...]:
    failed = str(sum(latency.failures.values()))
    if latency.p50 is None or latency.p95 is None:
        return (str(latency.queries), "none", "none", "none", "none", failed)
    p50, p95 = _interval(latency.p50_bounds), _interval(latency.p95_bounds)
    return (str(latency.queries), f"{latency.p50:.1f}", p50, f"{latency.p95:.1f}", p95, failed)


def _interval(bounds: Bounds) -> str:
    """Both ends; one that so few requests do not bound is left open."""
    if bounds.low is None and bounds.high is None:
        return "too few requests"
    if bounds.high is None:
        return f"{bounds.low:.1f} or more"
    return f"at most {bounds.high:.1f}" if bounds.low is None else f"{bounds.low:.1f} to {bounds.high:.1f}"


def throughputs(benchmark: Benchmark) -> Section:
    """Answers per second, and how long a query takes under that load."""
    at_once = benchmark.config.timing.concurrency
    measured = [(row.mode, row.throughput) for row in benchmark.rows if row.throughput is not None]
    rows = [("mode", "queries", "queries per second", "p50 ms under load", "p95 ms under load", "failed")]
    lines = [
        f"{counted(at_once, 'request')} under way at once, one mode after the other. Times under load include the wait "
        "behind the other requests: they are no latency. Steps in this process take turns."
    ]
    for mode, seen in measured:
        if seen.per_second is not None:
            failed = str(sum(seen.failures.values()))
            times = (f"{seen.p50:.1f}", f"{seen.p95:.1f}")
            rows.append((mode, str(seen.queries), f"{seen.per_second:,.1f}", *times, failed))
    reasons: dict[str, list[str]] = {}
    for mode, seen in measured:
        if seen.why:
            reasons.setdefault(seen.why, []).append(mode)
    lines += [f"Not measured for {listed(modes)}: {why}." for why, modes in reasons.items()]
    if len(rows) == 1:
        return Section("")
    return Section(f"Throughput at {counted(at_once, 'request')} at once", tuple(lines), tuple(rows), folded=True)


# ---- indexes -------------------------------------------------------------------------------------


def indexes_of(runner: Runner, outcomes: Mapping[str, ModeOutcome]) -> tuple[IndexUse, ...]:
    """Each engine whose index says something of itself, once, with the modes that search it."""
    modes: dict[str, list[str]] = {}
    steps = {}
    for mode, outcome in outcomes.items():
        for step in outcome.pipeline.steps():
            if step.shelf == "engines" and mode not in modes.setdefault(step.text, []):
                modes[step.text].append(mode)
                steps[step.text] = step
    found = []
    for text, step in steps.items():
        observed: Mapping[str, float] = getattr(runner.item(step), "observed", {})
        if observed:
            documents, size, seconds = (_finite(observed.get(name)) for name in (DOCUMENTS, BYTES, SECONDS))
            found.append(IndexUse(text, tuple(modes[text]), _whole(documents), _whole(size), seconds))
    return tuple(found)


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def indexes(benchmark: Benchmark) -> Section:
    """A row for each index."""
    rows: list[tuple[str, ...]] = [("index", "modes", "documents", "bytes", "seconds")]
    for one in benchmark.indexes:
        counts = ("not told" if number is None else f"{number:,}" for number in (one.documents, one.bytes))
        seconds = "not told" if one.seconds is None else f"{one.seconds:,.2f}"
        rows.append((one.engine, ", ".join(one.modes), *counts, seconds))
    if len(rows) == 1:
        return Section("")
    return Section("Indexes", (_LINE,), tuple(rows), 2, folded=True)


def index_times(benchmark: Benchmark) -> dict[str, object]:
    """As JSON has them under `observed`, by the text of the engine; nothing where no engine says anything."""
    return {} if not benchmark.indexes else {"indexes": {one.engine: one.to_dict() for one in benchmark.indexes}}
