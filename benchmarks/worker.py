"""One tool, one process: load two files and evaluate nDCG@10, RR, R@100 and AP, several times; prints JSON.

python benchmarks/worker.py TOOL QRELS RUN REPEATS
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable

MEASURES = "nDCG@10 RR R@100 AP"


def rankproof(qrels: str, run: str) -> list[float]:
    import rankproof

    return [result.mean for result in rankproof.evaluate(qrels, run, MEASURES).values()]


def pytrec_eval(qrels: str, run: str) -> list[float]:
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        ranked = pytrec_eval.parse_run(file)
    wanted = {"ndcg_cut.10", "recip_rank", "recall.100", "map"}
    values = pytrec_eval.RelevanceEvaluator(judged, wanted).evaluate(ranked)
    names = ["ndcg_cut_10", "recip_rank", "recall_100", "map"]
    return [sum(by_query[name] for by_query in values.values()) / len(values) for name in names]


def ir_measures(qrels: str, run: str) -> list[float]:
    import ir_measures
    from ir_measures import AP, RR, R, nDCG

    measures = [nDCG @ 10, RR, R @ 100, AP]
    judged = ir_measures.read_trec_qrels(qrels)
    ranked = ir_measures.read_trec_run(run)
    values = ir_measures.calc_aggregate(measures, judged, ranked)
    return [values[measure] for measure in measures]


def ranx(qrels: str, run: str) -> list[float]:
    from ranx import Qrels, Run, evaluate

    values = evaluate(
        Qrels.from_file(qrels, kind="trec"),
        Run.from_file(run, kind="trec"),
        ["ndcg@10", "mrr", "recall@100", "map"],
        make_comparable=True,
    )
    return [float(value) for value in values.values()]


def read_and_count(qrels: str, run: str) -> list[float]:
    with open(run, "rb") as file:
        return [float(file.read().count(b"\n"))]


TOOLS: dict[str, Callable[[str, str], list[float]]] = {
    "rankproof": rankproof,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
    "read_and_count": read_and_count,
}


def warm_up(tool: str) -> None:
    """Imports and compilers run before the clock does."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("q 0 d 1\nq 0 e 0\n")
        run.write_text("q Q0 d 1 2.0 t\nq Q0 e 2 1.0 t\n")
        TOOLS[tool](str(qrels), str(run))


def main() -> None:
    tool, qrels, run, repeats = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    warm_up(tool)
    seconds, values = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        values = TOOLS[tool](qrels, run)
        seconds.append(time.perf_counter() - began)
    # Peak memory is read before the yardstick below makes its own.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yardstick = []
    if tool == "rankproof":
        for _ in range(repeats):
            began = time.perf_counter()
            read_and_count(qrels, run)
            yardstick.append(time.perf_counter() - began)
    print(json.dumps({"seconds": seconds, "values": values, "peak_mb": peak, "yardstick": yardstick}))


if __name__ == "__main__":
    main()
