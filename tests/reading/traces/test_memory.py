"""Memory: spans lie on disk, so that it does not grow with their number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reading.traces.made import genai, otlp, span

# By the system's own account of this program: ru_maxrss would count what the process had before it became one.
PEAK = """
import sys
from rankproof.cli import main
try:
    main(["traces", sys.argv[1], "--out", sys.argv[2], "--json"])
finally:
    with open("/proc/self/status") as about:
        print(next(int(line.split()[1]) for line in about if line.startswith("VmHWM")), file=sys.stderr)
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
@pytest.mark.skipif(sys.platform != "linux", reason="the system tells it nowhere else")
def test_many_spans_take_less_memory_than_their_file(tmp_path: Path) -> None:
    """Seen: 80 MB for 60,000 spans, 125 MB for these 240,000; 113 MB for a million with 10 documents a search."""
    assert peak(tmp_path / "many.jsonl", 120_000) < 150_000 < (tmp_path / "many.jsonl").stat().st_size / 1024
