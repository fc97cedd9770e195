"""How fast rankproof's pytrec_eval interface is, as ratios against pytrec_eval in one run of this script.

    python benchmarks/pytrec_eval_api.py             about a minute
    python benchmarks/pytrec_eval_api.py --check     exit status 1 where a target is missed

Both sides get the same dicts and make the same calls, in turn; a figure is the median of the repeats. Before anything
is timed, the dicts that come out must be the same: queries and keys in the same order, and values within 1e-9.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytrec_eval as theirs

from rankproof.integrations import pytrec_eval as ours

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
USUAL = ["ndcg_cut_10", "recip_rank", "recall_100", "map"]


@dataclass(frozen=True)
class Job:
    """A call, and how many times faster than pytrec_eval it is to be."""

    name: str
    queries: int
    documents: int
    measures: list[str]
    whole: bool
    target: float

    def call(self, module: ModuleType, qrels: Qrels, run: Run) -> Callable[[], object]:
        """The call to be timed: with the making of the evaluator, or without it."""
        evaluator = module.RelevanceEvaluator(qrels, self.measures)
        if not self.whole:
            return lambda: evaluator.evaluate(run)
        return lambda: module.RelevanceEvaluator(qrels, self.measures).evaluate(run)


JOBS = (
    Job("evaluate, 50 x 100, four measures", 50, 100, USUAL, False, 1),
    Job("evaluator and evaluate, 50 x 100, four measures", 50, 100, USUAL, True, 1),
    Job("evaluate, 1,000 x 100, four measures", 1000, 100, USUAL, False, 1),
    Job("evaluate, 1,000 x 1,000, four measures", 1000, 1000, USUAL, False, 1),
    Job("evaluate, 1,000 x 100, all_trec", 1000, 100, ["all_trec"], False, 1),
    Job("evaluate, one query of 10 documents", 1, 10, ["ndcg_cut_10"], False, 0),
)


def data(queries: int, documents: int, rng: np.random.Generator) -> tuple[Qrels, Run]:
    """Judgments of 20 documents a query with grades 0 to 3; random rankings of a collection three times as large."""
    qrels, run = {}, {}
    for query in range(queries):
        judged = rng.choice(3 * documents, min(20, documents), replace=False).tolist()
        ranked = rng.choice(3 * documents, documents, replace=False).tolist()
        grades = rng.integers(0, 4, len(judged)).tolist()
        scores = rng.random(documents).round(3).tolist()
        qrels[f"q{query}"] = {f"doc{d}": grade for d, grade in zip(judged, grades, strict=True)}
        run[f"q{query}"] = {f"doc{d}": score for d, score in zip(ranked, scores, strict=True)}
    return qrels, run


def refuse_other_answers(mine: object, peers: object) -> None:
    """Ends the script where the two answers are not the same."""
    assert isinstance(mine, dict)
    assert isinstance(peers, dict)
    if list(mine) != list(peers):
        sys.exit("the two answers have other queries, or another order of them")
    for query, values in peers.items():
        if list(mine[query]) != list(values):
            sys.exit(f"query {query}: other keys, or another order of them")
        for key, value in values.items():
            if abs(mine[query][key] - value) > 1e-9:
                sys.exit(f"query {query}, {key}: {mine[query][key]!r} and {value!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit status 1 where a target is missed")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    missed = 0
    for job in JOBS:
        qrels, run = data(job.queries, job.documents, np.random.default_rng(job.queries + job.documents))
        calls = [job.call(module, qrels, run) for module in (ours, theirs)]
        refuse_other_answers(*(call() for call in calls))
        seconds: list[list[float]] = [[], []]
        for _ in range(options.repeats):
            for call, times in zip(calls, seconds, strict=True):
                gc.collect()
                before = time.perf_counter()
                call()
                times.append(time.perf_counter() - before)
        mine, peers = (float(np.median(times)) for times in seconds)
        ratio = peers / mine
        missed += ratio < job.target
        told = f"at least {job.target:g}" if job.target else "not held"
        print(
            f"{'ok  ' if ratio >= job.target else 'MISS'}  {job.name:<50} {ratio:6.2f} times as fast   "
            f"{mine * 1e3:9.3f} ms against {peers * 1e3:9.3f} ms   {told}",
            flush=True,
        )
    return int(bool(missed) and options.check)


if __name__ == "__main__":
    sys.exit(main())
