"""What it costs to measure runs that are larger than memory, on one machine and on Spark.

    python -m benchmarks.scale here                      5.2 GB: time, rows a second, peak memory
    python -m benchmarks.scale here --queries 10000 --forms scattered gzip parquet jsonl
    python -m benchmarks.scale spark --queries 10000     one worker against two, rows a second, bytes shuffled
    python -m benchmarks.scale spark --pin               the same, each worker with all its processes on one core

A run has 1,000 rows a query and 52 bytes a row; 7,000 queries at most are judged, about 20 documents each. Files are
made in a folder of --folder, and deleted. Peak memory is that of a process of its own, mapped pages included
(VmHWM). The load of the machine is printed: with other work on it, times are not those of the program alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.large import DEPTH, FORMS, qrels_file, run_file

MEASURES = "nDCG@10 RR AP R@100"
JUDGED = 7000


def one(qrels: str, run: str, memory: str | None) -> dict[str, Any]:
    """One evaluation in this process: values, seconds, CPU seconds and peak memory."""
    import rankproof

    began = time.perf_counter()
    found = rankproof.evaluate(qrels, run, MEASURES, memory=memory)
    took = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    values = {name: result.mean.hex() for name, result in found.items()}
    return {"values": values, "seconds": took, "cpu": used.ru_utime + used.ru_stime, "peak": peak_megabytes()}


def peak_megabytes() -> float:
    """The most memory that this process had, mapped pages included. `ru_maxrss` would count its parent's too."""
    about = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in about.splitlines() if line.startswith("VmHWM")) / 1024


def apart(qrels: Path, run: Path, memory: str | None) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "one", str(qrels), str(run)]
    answer = subprocess.run(command + ([memory] if memory else []), check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def here(folder: Path, queries: int, forms: list[str], memory: str | None) -> None:
    run, qrels = run_file(folder / "run.trec", queries), qrels_file(folder / "run.qrels", min(queries, JUDGED))
    rows, values = queries * DEPTH, set()
    print(f"{'form':<12}{'GB':>7}{'seconds':>9}{'CPU s':>8}{'rows/s':>14}{'CPU s/million':>15}{'peak MB':>9}")
    for form in ["grouped", *forms]:
        path = run if form == "grouped" else FORMS[form](run, folder / form)
        found = apart(qrels, path, memory)
        values.add(json.dumps(found["values"]))
        speed, cost = rows / found["seconds"], found["cpu"] / rows * 1e6
        size = path.stat().st_size / 1e9
        print(
            f"{form:<12}{size:>7.2f}{found['seconds']:>9.1f}{found['cpu']:>8.1f}{speed:>14,.0f}{cost:>15.3f}"
            f"{found['peak']:>9.0f}",
            flush=True,
        )
        if path != run:
            path.unlink()
    print("values: the same to the last bit" if len(values) == 1 else f"values DIFFER: {values}")


def spark(folder: Path, queries: int, repeats: int, pin: bool) -> None:
    run, qrels = run_file(folder / "run.trec", queries), qrels_file(folder / "run.qrels", min(queries, JUDGED))
    rows = queries * DEPTH
    expected = apart(qrels, run, None)["values"]
    print(f"{'workers':<9}{'seconds':>9}{'rows/s':>12}{'s/million':>11}{'shuffled B/row':>16}")
    best = {}
    for workers in (1, 2):
        command = [sys.executable, "-m", "benchmarks.scale", "worker", str(workers), str(repeats), str(qrels), str(run)]
        command += ["--pin"] if pin else []
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        if answer["values"] != expected:
            print(f"values DIFFER: {answer['values']} {expected}")
        best[workers] = min(answer["seconds"])
        print(
            f"{workers:<9}{best[workers]:>9.1f}{rows / best[workers]:>12,.0f}{best[workers] / rows * 1e6:>11.3f}"
            f"{answer['shuffled'] / rows:>16.1f}",
            flush=True,
        )
    print(
        f"two workers against one: {best[1] / best[2]:.2f}; best of {repeats}, each after a first that is not counted"
    )


def pin_workers() -> None:
    """Puts each executor below this process, Java and Python, on a core of its own."""
    parents = {}
    for about in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            lines = about.read_text().splitlines()
            parents[int(about.parent.name)] = next(int(line.split()[1]) for line in lines if line.startswith("PPid"))

    def above(process: int) -> Iterator[int]:
        while process:
            yield process
            process = parents.get(process, 0)

    for process in parents:
        line = [Path(f"/proc/{one}/cmdline").read_bytes().split(b"\0") for one in above(process) if one != 1]
        found = [words for words in line if b"--executor-id" in words]
        if found and os.getpid() in above(process):
            core = int(found[0][found[0].index(b"--executor-id") + 1]) % (os.cpu_count() or 1)
            for thread in Path(f"/proc/{process}/task").iterdir():
                with suppress(OSError):
                    os.sched_setaffinity(int(thread.name), {core})


def worker(workers: int, repeats: int, qrels: str, run: str, pin: bool) -> dict[str, Any]:
    """Evaluations on a cluster of so many workers of one core and 2 GB."""
    from rankproof.scale import spark as on_spark
    from rankproof.scale.session import session

    seconds = []
    with session(f"local-cluster[{workers},1,2048]") as started:
        for _ in range(repeats + 1):
            began = time.perf_counter()
            found = on_spark.evaluate(started, qrels, run, MEASURES)
            seconds.append(time.perf_counter() - began)
            if pin:
                pin_workers()  # after the first, when the processes of all workers are there
        known = started.sparkContext._jsc.sc().statusStore().executorList(False)
        written = sum(known.apply(i).totalShuffleWrite() for i in range(known.size()))
    values = {name: result.mean.hex() for name, result in found.items()}
    return {"values": values, "seconds": seconds[1:], "shuffled": written / (repeats + 1)}


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("what", choices=["here", "spark", "one", "worker"])
    reader.add_argument("rest", nargs="*", help="for processes that the benchmark starts itself")
    reader.add_argument("--queries", type=int)
    reader.add_argument("--forms", nargs="*", default=[], choices=sorted(FORMS))
    reader.add_argument("--memory", help="as in rankproof evaluate")
    reader.add_argument("--pin", action="store_true", help="each worker with all its processes on one core")
    reader.add_argument("--repeats", type=int, default=2)
    reader.add_argument("--folder", type=Path, help="where files are made; the folder for temporary files otherwise")
    asked = reader.parse_intermixed_args()
    if asked.what == "one":
        print(json.dumps(one(asked.rest[0], asked.rest[1], asked.rest[2] if len(asked.rest) > 2 else None)))
        return 0
    if asked.what == "worker":
        print(json.dumps(worker(int(asked.rest[0]), int(asked.rest[1]), asked.rest[2], asked.rest[3], asked.pin)))
        return 0
    print(f"{os.cpu_count()} cores; load before: {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        if asked.what == "here":
            here(Path(folder), asked.queries or 100_000, asked.forms, asked.memory)
        else:
            spark(Path(folder), asked.queries or 10_000, asked.repeats, asked.pin)
    print(f"load after: {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
