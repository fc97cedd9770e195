"""Whether bounds over unjudged documents hold: judgments are removed, and the fully judged numbers looked for inside.

    python benchmarks/holes.py [--trials 200]

From dl20 a random share of the judgments is removed. The universe is dl20's judged documents: those that were removed
are the unjudged ones. Whatever a run has beyond counts as judged with grade 0, as it does in the fully judged value.
For each measure: in how many trials the value of every run, and every difference to the first run, lies within its
bounds, and how wide the bounds are in the mean.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankproof.measuring.evaluate import prepare
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.records import Result
from rankproof.measuring.run_sources import listed
from rankproof.proving.holes.summary import holes

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "dl20"
MEASURES = (
    "nDCG@10 AP RR@10 P@10 R@100 DCG@10 nDCG Rprec Success@10 RBP ERR(max_grade=3)@10 F@20 AP@100 nDCG(gain=exp2)@20"
)
SHARES = (0.1, 0.5, 0.9)

Qrels = dict[str, dict[str, int]]


@dataclass
class Tally:
    """What was seen of one measure."""

    values: int = 0
    values_inside: int = 0
    differences: int = 0
    differences_inside: int = 0
    widths: list[float] = field(default_factory=list)
    exact: bool = True


class Hiding:
    """Full judgments, the rankings, and what each measure says on them."""

    def __init__(self, data: Path = DATA, depth: int = 100, measures: str = MEASURES) -> None:
        judged = prepare(str(data / "qrels.trec"))
        start, ids, grades = judged.pool.start.tolist(), judged.judgments.doc_ids(), judged.pool.grade.tolist()
        self.truth: Qrels = {
            query: dict(zip(ids[start[i] : start[i + 1]], grades[start[i] : start[i + 1]], strict=True))
            for i, query in enumerate(judged.query_ids)
        }
        self.runs = {
            path.stem: {
                query: docs[:depth] for query, docs in listed(judged.prepare(str(path))).items() if query in self.truth
            }
            for path in sorted((data / "runs").glob("*.run"))
        }
        beyond = {query: {} for query in self.truth}
        for rankings in self.runs.values():
            for query, docs in rankings.items():
                beyond[query].update({doc: 0 for doc in docs if doc not in self.truth[query]})
        self.beyond: Qrels = beyond
        self.variants: tuple[Variant, ...] = parse(measures)
        whole = prepare({query: {**docs, **beyond[query]} for query, docs in self.truth.items()})
        self.top = whole.pool.top_grade
        self.full: list[list[Result]] = [
            [whole.evaluate(run, [variant])[variant.text] for variant in self.variants] for run in self.runs.values()
        ]

    def part(self, share: float, rng: np.random.Generator) -> Qrels:
        """The judgments without a random share of them; what is beyond them counts as judged."""
        kept: Qrels = {}
        for query, docs in self.truth.items():
            stays = rng.random(len(docs)) >= share
            kept[query] = {doc: grade for (doc, grade), stay in zip(docs.items(), stays, strict=True) if stay}
            kept[query] |= self.beyond[query]
        # A query without any judgment would no longer be one of the collection.
        return {query: docs or dict([next(iter(self.truth[query].items()))]) for query, docs in kept.items()}

    def trial(self, share: float, rng: np.random.Generator, tallies: dict[str, Tally]) -> None:
        """Removes a share, bounds every measure, and looks where the full values are."""
        judged = prepare(self.part(share, rng))
        runs = [judged.prepare(run, name=name) for name, run in self.runs.items()]
        pool = {query: list(docs) for query, docs in self.truth.items()}
        found = holes(runs, self.variants, pool=pool, top_grade=self.top)
        for at, bounds in enumerate(found.bounds):
            tally = tallies.setdefault(bounds.measure, Tally())
            for run, bound in enumerate(bounds.values):
                tally.values += 1
                inside = bound.contains(self.full[run][at].mean)
                by_query = self.full[run][at].values
                inside &= bool(
                    (bound.by_query[:, 0] <= by_query + 1e-9).all() & (by_query <= bound.by_query[:, 1] + 1e-9).all()
                )
                tally.values_inside += inside
                tally.widths.append(bound.greatest - bound.least)
                tally.exact &= bound.exact
            for run, bound in enumerate(bounds.differences, 1):
                tally.differences += 1
                tally.differences_inside += bound.contains(self.full[run][at].mean - self.full[0][at].mean)


def simulate(hiding: Hiding, trials: int, seed: int = 0, shares: Sequence[float] = SHARES) -> dict[str, Tally]:
    """So many trials, going through the shares in turn."""
    rng = np.random.default_rng(seed)
    tallies: dict[str, Tally] = {}
    for number in range(trials):
        hiding.trial(shares[number % len(shares)], rng, tallies)
    return tallies


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--trials", type=int, default=200)
    asked = options.parse_args()
    if not DATA.is_dir():
        sys.exit(f"The data of this benchmark is not here: no folder {DATA}.")
    began = time.perf_counter()
    tallies = simulate(Hiding(), asked.trials)
    print(
        f"{asked.trials} trials with {', '.join(f'{share:.0%}' for share in SHARES)} of the judgments removed in turn"
    )
    print(f"{'measure':<22} {'values inside':>17} {'differences inside':>20} {'mean width':>11}  values' bounds")
    for measure, tally in tallies.items():
        print(
            f"{measure:<22} {tally.values_inside:>8} of {tally.values:<6} {tally.differences_inside:>9} of "
            f"{tally.differences:<8} {np.mean(tally.widths):>11.4f}  {'exact' if tally.exact else 'outer'}"
        )
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
