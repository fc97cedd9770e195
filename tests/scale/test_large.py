"""Fifty million rows: two workers and one machine in bounded memory give the same values, bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.large import DEPTH, qrels_file, run_file
from tests.scale.said import said

import rankproof
from rankproof.scale import spark as on_spark

QUERIES = 50_000
MEASURES = "nDCG@10 nDCG AP RR R@100 P@10 Bpref Judged@10"
MEGABYTE = 1 << 20


@pytest.mark.full
def test_fifty_million_rows(spark: Any, tmp_path: Path) -> None:
    """2.6 GB of text in tmp_path. On one machine 1 GB of memory is enough, whatever the run's size."""
    run, qrels = run_file(tmp_path / "run.trec", QUERIES), qrels_file(tmp_path / "run.qrels", 7000)
    here = said(lambda: rankproof.evaluate(qrels, run, MEASURES))
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(128 * MEGABYTE))
    there = said(lambda: on_spark.evaluate(spark, qrels, run, MEASURES))
    run.unlink()
    assert here[1][0] == 7000
    assert len(here[1][2]) == QUERIES - 7000
    assert there == here


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("form", ["grouped", "scattered"])
def test_memory_is_bounded_by_the_budget(tmp_path: Path, form: str) -> None:
    """A run of 260 MB with 128 MB for reading: the peak of the process, all it loads included, stays below 256 MB."""
    from benchmarks.large import FORMS

    run, qrels = run_file(tmp_path / "run.trec", 5000), qrels_file(tmp_path / "run.qrels", 1000)
    path = run if form == "grouped" else FORMS[form](run, tmp_path / form)
    assert path.stat().st_size == 5000 * DEPTH * 52
    command = [sys.executable, "-m", "benchmarks.scale", "one", str(qrels), str(path), "128MB"]
    root = Path(__file__).resolve().parents[2]
    answer = json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)
    assert answer["peak"] < 256
    whole = rankproof.evaluate(qrels, run, "nDCG@10 RR AP R@100", memory="1TB")
    assert answer["values"] == {name: result.mean.hex() for name, result in whole.items()}
