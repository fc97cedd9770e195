"""A benchmark with everything in it, of tiny engines and stages: for tests of forms."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from unittest.mock import patch

from tests.stack.pipeline.items import Letters, on_shelves

from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.benchmark.times import Latency
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

# `letters` answers a, b, c, ...; `turn` turns the first three around; g is relevant everywhere, c in most queries.
QUERIES = [Query(f"q{i}", f"query {i}", {"kind": "even" if i % 2 == 0 else "odd"}) for i in range(1, 21)]
GRADES = {q.query_id: {"c": 3, "g": 1, "a": 0, "b": 0} for q in QUERIES} | {"q6": {"a": 2, "b": 0, "g": 1}}
MODES = {
    "plain": "letters()",
    "turned": "plain >> turn(depth=3, also='fails')",
    "wide": "letters(step=3)",
    "both": "join(plain, wide)",
}
# Times are as they are: here they are made up, so that pages are the same every time.
TIMES = {"plain": 0.4, "turned": 12.5, "wide": 30.0, "both": 31.25}


def benchmark_of(note: str = "0.9 of 20", **benchmark_keys: object) -> Benchmark:
    """All modes with failures, notes, prices and segments. `turned` is shown to be the best in RR."""
    config = {
        "benchmark": {"name": "letters", "dataset": "here", "measures": ["RR", "R@5"], "segments": ["kind"],
                      "depth": 5, **benchmark_keys},
        "modes": MODES,
        "cost": {"currency": "EUR", "steps": {"letters": 0.1, "turn": 0.025}},
    }  # fmt: skip
    with ExitStack() as stack:
        stack.enter_context(on_shelves())
        stack.enter_context(patch.object(Letters, "notes", {"recall@5": note}, create=True))
        read = config_of(config, "letters.toml")
        runner = Runner(QUERIES, read.depth, Ground())
        found, _ = benchmark(read, QUERIES, read_qrels(GRADES), runner, "0" * 64, 26)
    rows = tuple(
        replace(row, latency=Latency(20, time, 2 * time, 3 * time, 3 * time), throughput=None)
        for row, time in zip(found.rows, TIMES.values(), strict=True)
    )
    return replace(found, rows=rows, unbeaten={**found.unbeaten, "time": ("plain", "turned")})
