"""Memory: spans lie on disk, so that it does not grow with their number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reading.traces.made import genai, otlp, span

PEAK = """
import resource, sys
from rankproof.cli import main
try:
    main(["traces", sys.argv[1], "--out", sys.argv[2], "--json"])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak(path: Path, traces: int) -> int:
    """The most memory, in kilobytes, that so many traces take, whose searches stand far from their agents."""
    with path.open("wb") as file:
        for n in range(traces):
            file.write(otlp(span("agent", at=n, trace=f"{n + 1:032x}", session__id=f"s{n % 1000}")) + b"\n")
        for n in range(traces):
            docs = [f"doc-{n}-{rank}" for rank in range(20)]
            file.write(otlp(genai("find", f"query {n}", docs, "agent", at=n, trace=f"{n + 1:032x}")) + b"\n")
    command = [sys.executable, "-c", PEAK, str(path), str(path.parent / f"out{traces}")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert json.loads(told.stdout)["searches"] == traces
    return int(told.stderr.split()[-1])


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_four_times_the_spans_take_hardly_more_memory(tmp_path: Path) -> None:
    """The cache of 32 MB is full with the first already; four times as many would take 90 MB more in memory."""
    small, large = (peak(tmp_path / f"{traces}.jsonl", traces) for traces in (30_000, 120_000))
    assert large < small + 30_000, (small, large)
