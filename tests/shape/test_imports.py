"""Importing is free: `import rankproof` and a plain `rankproof evaluate` load nothing heavy, start fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
HEAVY = {"scipy", "rich", "pyarrow", "pandas", "polars"}
# What a command line that only evaluates does not need either.
SLOW = {*HEAVY, "msgspec", "importlib.metadata", "email", "asyncio", "ssl", "unittest", "difflib"}

LOADED_BY_EVALUATE = """
import atexit, json, sys
atexit.register(lambda: open(sys.argv.pop(), "w").write(json.dumps(sorted(sys.modules))))
from rankproof.cli import main
main(sys.argv[1:-1])
"""


def python(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter, as a user would start it."""
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "qrels.trec").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n")
    (folder / "a.run").write_text("q1 Q0 d2 1 2.0 a\nq1 Q0 d1 2 1.0 a\nq2 Q0 d3 1 1.0 a\n")
    return str(folder / "qrels.trec"), str(folder / "a.run")


def loaded(modules: list[str], unwanted: set[str]) -> set[str]:
    return {m for m in unwanted if m in modules}


def test_importing_rankproof_loads_nothing_heavy() -> None:
    told = python("-c", "import sys, json, rankproof; print(json.dumps(sorted(sys.modules)))")
    modules = json.loads(told.stdout)
    assert "rankproof" in modules
    assert loaded(modules, HEAVY) == set()


def test_evaluating_loads_nothing_slow(tiny: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "modules.json"
    told = python("-c", LOADED_BY_EVALUATE, "evaluate", *tiny, str(out))
    assert "nDCG@10" in told.stdout
    assert loaded(json.loads(out.read_text()), SLOW) == set()


def test_help_does_not_load_the_commands(tmp_path: Path) -> None:
    out = tmp_path / "modules.json"
    told = python("-c", LOADED_BY_EVALUATE, "--help", str(out))
    assert "evaluate" in told.stdout
    modules = json.loads(out.read_text())
    assert {
        name for name in modules if name.startswith("rankproof.cli.") and not name.startswith("rankproof.cli.shared")
    } == set()


@pytest.mark.alone
def test_evaluating_a_tiny_file_starts_fast(tiny: tuple[str, str], tmp_path: Path) -> None:
    """At most 2.0 times `python -c "import numpy"`: best of several, taken in turns on the same machine.

    Another process may take the machine away at any moment and only ever makes things slower, so a try that is
    too slow is followed by another one. Bytecode is cached as in an installation, wherever the sources lie.
    """
    cached = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def once(*args: str) -> float:
        began = time.perf_counter()
        python(*args, **cached)
        return time.perf_counter() - began

    ours, numpy = [], []
    for turn in range(30):
        numpy.append(once("-c", "import numpy"))
        ours.append(once("-m", "rankproof", "evaluate", *tiny))
        if turn >= 4 and min(ours) <= 2.0 * min(numpy):
            break
    assert min(ours) <= 2.0 * min(numpy), f"{min(ours) * 1000:.0f} ms against {min(numpy) * 1000:.0f} ms"
