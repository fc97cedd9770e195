"""What `rankproof next` saves: judgments until the sign of a difference is certain, against judging by rank.

    python benchmarks/next.py [--seeds 20] [--asked-again 25]

Half of dl20's judgments are hidden at random. For every pair of runs whose nDCG@10 differs by 0.02 or more, hidden
judgments are uncovered one by one until the joint bounds of the difference in DCG@10 exclude 0:

    proposed      in the order of `rankproof next`, asked once
    asked again   the same, asked anew after every batch of judgments
    by rank       round-robin over the queries, each query's document with the best rank in either run first

The universe is dl20's judged documents. What a run has beyond them can never be uncovered, and counts as judged with
grade 0, the same for every order.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log2
from pathlib import Path

import numpy as np

from rankproof.measuring.evaluate import prepare
from rankproof.measuring.names import parse
from rankproof.measuring.run_sources import listed
from rankproof.proving.next import proposed

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "dl20"
MEASURE, DEPTH, APART = "DCG@10", 10, 0.02

Qrels = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Collection:
    """Full judgments, rankings by run, and the pairs of runs that are far enough apart."""

    qrels: Qrels
    runs: dict[str, Rankings]
    pairs: tuple[Pair, ...]

    @property
    def top(self) -> int:
        return max(grade for docs in self.qrels.values() for grade in docs.values())

    def half(self, seed: int) -> Qrels:
        """A random half of the judgments, and grade 0 for what the runs have beyond them."""
        every = [(query, doc) for query, docs in self.qrels.items() for doc in docs]
        kept = np.random.default_rng(seed).permutation(len(every))[: len(every) // 2]
        known: Qrels = {query: {} for query in self.qrels}
        for query, doc in (every[i] for i in sorted(kept.tolist())):
            known[query][doc] = self.qrels[query][doc]
        for rankings in self.runs.values():
            for query, docs in rankings.items():
                known[query].update({doc: 0 for doc in docs if doc not in self.qrels[query]})
        return known


def dl20(data: Path = DATA) -> Collection:
    """The seven runs of dl20 on its judgments."""
    judged = prepare(str(data / "qrels.trec"))
    paths = sorted((data / "runs").glob("*.run"))
    values = {path.stem: judged.evaluate(str(path), "nDCG@10")["nDCG@10"].mean for path in paths}
    pairs = tuple(pair for pair in combinations(values, 2) if abs(values[pair[0]] - values[pair[1]]) >= APART)
    start, ids, grades = judged.pool.start.tolist(), judged.judgments.doc_ids(), judged.pool.grade.tolist()
    qrels = {
        query: dict(zip(ids[start[i] : start[i + 1]], grades[start[i] : start[i + 1]], strict=True))
        for i, query in enumerate(judged.query_ids)
    }
    whole = {path.stem: listed(judged.prepare(str(path))) for path in paths}
    runs = {name: {query: docs for query, docs in run.items() if query in qrels} for name, run in whole.items()}
    return Collection(qrels, runs, pairs)


class Bounds:
    """The joint bounds of a difference in DCG, kept up to date while judgments come in one by one."""

    def __init__(self, collection: Collection, known: Qrels, pair: Pair) -> None:
        self.truth, self.top = collection.qrels, collection.top
        self.weight: dict[tuple[str, str], float] = {}
        for sign, name in ((-1.0, pair[0]), (1.0, pair[1])):
            for query, docs in collection.runs[name].items():
                for rank, doc in enumerate(docs[:DEPTH], 1):
                    key = query, doc
                    self.weight[key] = self.weight.get(key, 0.0) + sign / log2(rank + 1)
        self.low = self.high = 0.0
        for (query, doc), weight in self.weight.items():
            grade = known[query].get(doc)
            self.low += weight * grade if grade is not None else min(weight, 0.0) * self.top
            self.high += weight * grade if grade is not None else max(weight, 0.0) * self.top

    @property
    def certain(self) -> bool:
        return self.low > 1e-12 or self.high < -1e-12

    def judge(self, query: str, doc: str) -> None:
        weight = self.weight.get((query, doc), 0.0)
        value = weight * self.truth[query][doc]
        self.low += value - min(weight, 0.0) * self.top
        self.high += value - max(weight, 0.0) * self.top


def needed(collection: Collection, known: Qrels, pair: Pair, order: Iterator[tuple[str, str]]) -> int:
    """How many judgments in this order make the sign of the difference certain."""
    bounds, count = Bounds(collection, known, pair), 0
    while not bounds.certain:
        bounds.judge(*next(order))
        count += 1
    return count


def in_proposed_order(
    collection: Collection, known: Qrels, pair: Pair, batch: int | None = None
) -> Iterator[tuple[str, str]]:
    """Hidden pairs as `rankproof next` lists them; with `batch`, the list is made anew after so many."""
    while True:
        judged = prepare(known)
        runs = [judged.prepare(collection.runs[name], name=name) for name in pair]
        wanted = proposed(runs, parse(MEASURE)[0], batch, top_grade=collection.top).wanted
        yield from ((want.query_id, want.doc_id) for want in wanted)
        if batch is None or not wanted:
            return
        known = {query: dict(docs) for query, docs in known.items()}
        for want in wanted:
            known[want.query_id][want.doc_id] = collection.qrels[want.query_id][want.doc_id]


def by_rank(collection: Collection, known: Qrels, pair: Pair) -> Iterator[tuple[str, str]]:
    """Hidden pairs round-robin over the queries, each query's by best rank in either run."""
    waiting = []
    for query in collection.qrels:
        best: dict[str, int] = {}
        for name in pair:
            for rank, doc in enumerate(collection.runs[name].get(query, []), 1):
                if doc not in known[query]:
                    best[doc] = min(rank, best.get(doc, rank))
        waiting.append([(query, doc) for doc in sorted(best, key=lambda doc: (best[doc], doc))])
    for turn in range(max(map(len, waiting), default=0)):
        yield from (docs[turn] for docs in waiting if turn < len(docs))


@dataclass(frozen=True)
class Trial:
    seed: int
    pair: Pair
    proposed: int
    asked_again: int | None
    by_rank: int


def trials(collection: Collection, seeds: Sequence[int], batch: int | None = None) -> Iterator[Trial]:
    for seed in seeds:
        known = collection.half(seed)
        for pair in collection.pairs:
            yield Trial(
                seed,
                pair,
                needed(collection, known, pair, in_proposed_order(collection, known, pair)),
                needed(collection, known, pair, in_proposed_order(collection, known, pair, batch)) if batch else None,
                needed(collection, known, pair, by_rank(collection, known, pair)),
            )


def summary(found: Sequence[Trial]) -> list[str]:
    """A line per seed and one for all: judgments needed, and the ratio to judging by rank."""
    lines = [
        f"{'seed':>6} {'pairs':>6} {'proposed':>9} {'by rank':>8} {'ratio':>6} {'worst':>6} {'again':>6} {'ratio':>6}"
    ]
    seeds = sorted({trial.seed for trial in found})
    for seed in (*seeds, None):
        # Where the bounds exclude 0 at once, there is nothing to save.
        part = [t for t in found if t.by_rank > 0 and (seed is None or t.seed == seed)]
        ratios = [t.proposed / t.by_rank for t in part]
        again = [t for t in part if t.asked_again is not None]
        line = (
            f"{'all' if seed is None else seed:>6} {len(part):>6} {np.mean([t.proposed for t in part]):>9.1f} "
            f"{np.mean([t.by_rank for t in part]):>8.1f} {np.mean(ratios):>6.3f} {max(ratios):>6.3f}"
        )
        if again:
            line += (
                f" {np.mean([t.asked_again or 0 for t in again]):>6.1f}"
                f" {np.mean([(t.asked_again or 0) / t.by_rank for t in again]):>6.3f}"
            )
        lines.append(line)
    return lines


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--asked-again", type=int, metavar="BATCH", help="ask anew after so many judgments, too")
    asked = options.parse_args()
    if not DATA.is_dir():
        sys.exit(f"The data of this benchmark is not here: no folder {DATA}.")
    began = time.perf_counter()
    collection = dl20()
    print(f"dl20: {len(collection.pairs)} pairs of runs differ by {APART} nDCG@10 or more; mean numbers of judgments")
    print("\n".join(summary(list(trials(collection, range(asked.seeds), asked.asked_again)))))
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
