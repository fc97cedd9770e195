"""An executor that is killed in the middle of a job changes nothing but the time it takes."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.large import qrels_file, run_file
from tests.scale.said import said

import rankproof
from rankproof.scale import spark as on_spark

pytestmark = pytest.mark.full


def executors(spark: Any) -> dict[int, int]:
    """Executor number -> process of this session's executors, found by their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if spark.sparkContext.applicationId in words and "--executor-id" in words:
            found[int(words[words.index("--executor-id") + 1])] = int(folder.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_a_killed_executor(spark: Any, tmp_path: Path) -> None:
    """600,000 rows in 16 splits: when the first tasks have run, one of two executors is killed."""
    run, qrels = run_file(tmp_path / "a.run", 600), qrels_file(tmp_path / "a.qrels", 500)
    here = said(lambda: rankproof.evaluate(qrels, run, "nDCG@10 AP RR"))
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(2 << 20))
    before = executors(spark)
    assert len(before) == 2
    there: list[Any] = []
    job = threading.Thread(
        target=lambda: there.append(said(lambda: on_spark.evaluate(spark, qrels, run, "nDCG@10 AP RR")))
    )
    job.start()
    status = spark.sparkContext.statusTracker()
    while job.is_alive() and not any(
        info.numCompletedTasks >= 2 and info.numActiveTasks
        for stage in status.getActiveStageIds()
        if (info := status.getStageInfo(stage)) is not None
    ):
        time.sleep(0.02)
    assert job.is_alive()
    lost = min(before)
    os.kill(before[lost], signal.SIGKILL)
    job.join()
    assert there == [here]
    assert lost not in executors(spark)
