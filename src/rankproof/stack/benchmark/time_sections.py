"""Times as sections: latency of one request at a time, and throughput of several at once, never in one table."""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.kernel.sections import Section, confidence_interval, counted
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.times import Bounds, Latency
from rankproof.stack.benchmark.worth import listed

# What the time of a mode is: it stands beside the numbers, because a service may do better.
TIMES = (
    "Milliseconds are latency: one request at a time. A mode's time is the sum of its steps, also of those that could "
    "run side by side."
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
