"""`--engine spark` answers what the local engine answers, on standard output nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"


@pytest.mark.full
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, and there is none")
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_same_answer(command: str) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")

    def told(*more: str) -> Any:
        words = [sys.executable, "-m", "rankproof", command, "qrels.trec", "bm25.run", "dense.run", "--json", *more]
        answer = subprocess.run(words, cwd=SAMPLE, check=True, capture_output=True, text=True)
        found = json.loads(answer.stdout)
        del found["observed"]
        return found, answer.stderr

    here, there = told(), told("--engine", "spark", "--master", "local[1]")
    assert there == here
