"""The memory of the command that fits click models, as the system measures it: it hardly grows with pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# What a column must have to lie in a file is lowered, so that logs which are read in seconds are large ones.
# The peak is the system's own account of this program: ru_maxrss would count what the process had before it became one.
RUN = """
import sys
from rankproof.kernel import column_files
column_files.LARGE = 2**20
from rankproof.cli import main
try:
    main(["clicks", "fit", sys.argv[1], "--json", "-o", sys.argv[2], "-m", "ctr", "-m", "user_browsing(passes=5)",
          "-m", "dynamic_bayesian(passes=5)"])
except SystemExit as done:
    assert not done.code
with open("/proc/self/status") as about:
    print(next(int(line.split()[1]) for line in about if line.startswith("VmHWM")) * 1024)
"""
FEW, MANY = 60_000, 180_000


def log_of(path: Path, pages: int) -> Path:
    """Pages of ten documents, a line each, drawn from 2,000 that are written once."""
    rng = np.random.default_rng(0)
    kinds = []
    for kind in range(2_000):
        docs = [f"d{doc}" for doc in rng.permutation(20)[:10]]
        clicks = " , ".join(doc for rank, doc in enumerate(docs) if rng.random() < 0.5 / (1 + rank))
        kinds.append(f"q{kind % 50}\t{','.join(docs)} : {clicks};\n")
    path.write_text("".join(kinds[at] for at in rng.integers(2_000, size=pages).tolist()))
    return path


def peak(log: Path) -> int:
    argv = [sys.executable, "-c", RUN, str(log), str(log.with_suffix(".json"))]
    return int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what was let go may still count, or in other units")
def test_three_times_the_pages_take_little_more_memory(tmp_path: Path) -> None:
    """The columns of pages by ranks alone have 100 bytes a page, and models learn from several of them at a time."""
    few, many = (peak(log_of(tmp_path / f"{pages}.txt", pages)) for pages in (FEW, MANY))
    assert (many - few) / (MANY - FEW) < 100
