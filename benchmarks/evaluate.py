"""How fast rankproof evaluates, as ratios against named peers in one run of this script.

    python benchmarks/evaluate.py                 everything; about a quarter of an hour
    python benchmarks/evaluate.py --repeats 1     a quick look
    python benchmarks/evaluate.py --check         exit status 1 where a target is missed
    python benchmarks/evaluate.py --without-peers only rankproof against itself and against reading the file

Every tool runs in its own process with warm caches and does the same: load both files, evaluate nDCG@10, RR, R@100
and AP. A figure is the median of the repeats. Targets stand beside the ratios.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from generate import qrels_file, run_file

HERE = Path(__file__).resolve().parent
PEERS = {"pytrec_eval": 25, "ir_measures": 35, "ranx": 60}


def work(tool: str, qrels: Path, run: Path, repeats: int) -> dict:
    command = [sys.executable, "-P", str(HERE / "worker.py"), tool, str(qrels), str(run), str(repeats)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


missed: list[str] = []


def line(what: str, figure: float, target: str, met: bool) -> None:
    if not met:
        missed.append(what)
    print(f"{'ok  ' if met else 'MISS'}  {what:<68} {figure:>9.2f}   {target}", flush=True)


def files(repeats: int, peers: bool) -> None:
    run = run_file()
    print(f"run: {run.stat().st_size / 1e6:.0f} MB, 6,980 queries x 1,000 documents")
    for judged in (2, 50):
        qrels = qrels_file(run, judged)
        about = "1-2" if judged == 2 else str(judged)
        ours = work("rankproof", qrels, run, repeats)
        mine = np.median(ours["seconds"])
        print(f"\n{about} judged documents a query: rankproof {mine:.3f} s, values {ours['values']}")
        yardstick = np.median(ours["yardstick"])
        line("time over open(f, 'rb').read().count(b'\\n')", mine / yardstick, "at most 1.5", mine <= 1.5 * yardstick)
        line("peak memory, MB", ours["peak_mb"], "at most 350", ours["peak_mb"] <= 350)
        if peers:
            for peer, target in PEERS.items():
                theirs = work(peer, qrels, run, repeats)
                ratio = np.median(theirs["seconds"]) / mine
                line(f"times faster than {peer}", ratio, f"at least {target}", ratio >= target)
                gap = max(abs(a - b) for a, b in zip(ours["values"], theirs["values"], strict=True))
                line(f"largest difference of a mean from {peer}", gap, "at most 1e-6", gap <= 1e-6)


def growth(repeats: int) -> None:
    print()
    seconds = []
    for queries in (698, 6980):
        run = run_file(queries)
        seconds.append(np.median(work("rankproof", qrels_file(run, 50), run, max(repeats, 3))["seconds"]))
    ratio = seconds[1] / seconds[0]
    line("time for ten times the rows", ratio, "at most 11", ratio <= 11)


def timed(function, repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - began)
    return np.median(seconds)


def dicts(queries: int, documents: int, judged: int) -> tuple[dict, dict]:
    rng = np.random.default_rng(2)
    run, qrels = {}, {}
    for i in range(queries):
        docs = [f"d{d}" for d in rng.choice(8_841_823, documents, replace=False)]
        scores = np.sort(rng.normal(20, 5, documents))[::-1].tolist()
        run[f"q{i}"] = dict(zip(docs, scores, strict=True))
        found = rng.choice(docs, judged - judged // 2, replace=False).tolist()
        others = [f"x{d}" for d in range(judged // 2)]
        qrels[f"q{i}"] = {doc: int(rng.integers(0, 4)) for doc in [*found, *others]}
    return qrels, run


def in_memory(repeats: int) -> None:
    import pytrec_eval

    import rankproof

    wanted = {"ndcg_cut.10", "recip_rank", "recall.100", "map"}
    measures = "nDCG@10 RR R@100 AP"
    print()
    # The first call of the process, nothing evaluated before it.
    qrels, run = dicts(50, 100, 20)
    began = time.perf_counter()
    rankproof.evaluate(qrels, run, measures)
    first = time.perf_counter() - began
    began = time.perf_counter()
    pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    theirs_first = time.perf_counter() - began
    line("50 x 100 from dicts, very first call: times faster", theirs_first / first, "(no target)", True)
    ours = timed(lambda: rankproof.evaluate(qrels, run, measures), 200)
    theirs = timed(lambda: pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run), 200)
    line("50 x 100 from dicts: times faster than pytrec_eval", theirs / ours, "at least 3", theirs >= 3 * ours)

    qrels, run = dicts(6980, 1000, 50)
    ours = timed(lambda: rankproof.evaluate(qrels, run, measures), repeats)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted)
    theirs = timed(lambda: evaluator.evaluate(run), repeats)
    line("dicts in memory: times faster than pytrec_eval's evaluate", theirs / ours, "at least 6", theirs >= 6 * ours)


def prepared() -> None:
    import rankproof

    run = run_file()
    qrels = rankproof.prepare(str(qrels_file(run, 50)))
    began = time.perf_counter()
    ready = qrels.prepare(str(run))
    rankproof.evaluate(qrels, ready, "nDCG@10")
    first = time.perf_counter() - began
    began = time.perf_counter()
    rankproof.evaluate(qrels, ready, "P@5")
    again = time.perf_counter() - began
    line(
        "prepared run, another measure: share of the first time, %",
        100 * again / first,
        "below 1",
        again < 0.01 * first,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target is missed")
    options = parser.parse_args()
    files(options.repeats, not options.without_peers)
    growth(options.repeats)
    prepared()
    in_memory(options.repeats)
    if options.check and missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
