"""How long `gate` and `compare --all-pairs` take, as a ratio against another version of rankproof.

    python benchmarks/idle_work.py                              about two minutes
    python benchmarks/idle_work.py --against OTHER/bin/python   the ratio too; OTHER's rankproof is the peer
    python benchmarks/idle_work.py --against ... --check        exit status 1 where a target is missed

The jobs: a gate of three rules on 1,000 queries x 100 documents, and all pairs of 100 runs in five measures on 50
queries x 100 documents, as text and as JSON. Each is the whole command in a process of its own; the figure is its
processor time, the best of several. The numbers that are printed must be the same on both sides, so that both have done
the same.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

POLICY = """[policy]
qrels = "qrels.trec"
baseline = "0.run"
candidate = "1.run"
[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.02
[[rule]]
rule = "least_value"
measure = "AP"
at_least = 0.01
[[rule]]
rule = "judged_rate"
k = 10
at_least = 0.1
"""


@dataclass(frozen=True)
class Job:
    """A command in the folder of its data, and how many times faster than the peer it is to be."""

    name: str
    folder: Path
    arguments: tuple[str, ...]
    target: float | None


def write_data(folder: Path, runs: int, queries: int, documents: int, rng: np.random.Generator) -> None:
    """Judgments of random documents with grades 0 to 3, and random rankings with some tied scores."""
    folder.mkdir()
    collection = 3 * documents
    with open(folder / "qrels.trec", "w") as qrels:
        for query in range(queries):
            for doc in rng.choice(collection, documents // 2, replace=False):
                qrels.write(f"q{query} 0 d{doc} {rng.integers(0, 4)}\n")
    for run in range(runs):
        with open(folder / f"{run}.run", "w") as rankings:
            for query in range(queries):
                scores = np.sort(rng.random(documents).round(3))[::-1]
                docs = rng.choice(collection, documents, replace=False)
                for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1):
                    rankings.write(f"q{query} Q0 d{doc} {rank} {score} run{run}\n")


def jobs(folder: Path) -> list[Job]:
    """The jobs, with their data written."""
    rng = np.random.default_rng(1)
    gate, pairs = folder / "gate", folder / "pairs"
    write_data(gate, 2, 1000, 100, rng)
    (gate / "policy.toml").write_text(POLICY)
    write_data(pairs, 100, 50, 100, rng)
    compare = ("compare", "qrels.trec", *(f"{run}.run" for run in range(100)), "--all-pairs")
    return [
        Job("gate, text", gate, ("gate", "policy.toml"), 2.5),
        Job("gate, JSON", gate, ("gate", "policy.toml", "--json"), None),
        Job("compare --all-pairs, text", pairs, compare, 8.0),
        Job("compare --all-pairs, JSON", pairs, (*compare, "--json"), None),
    ]


def timed(python: str, job: Job) -> tuple[float, bytes]:
    """Processor seconds of the command, and what it printed."""
    before = os.times()
    done = subprocess.run([python, "-m", "rankproof", *job.arguments], cwd=job.folder, stdout=subprocess.PIPE)
    after = os.times()
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{job.name}: exit status {done.returncode}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, done.stdout


def best(python: str, job: Job, repeats: int) -> tuple[float, bytes]:
    """The least processor time of several."""
    found = [timed(python, job) for _ in range(repeats)]
    return min(seconds for seconds, _ in found), found[0][1]


def numbers(text: bytes) -> list[bytes]:
    """The numbers in a text; words may have changed from one version to the next."""
    return re.findall(rb"\d+(?:[.,]\d+)*", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="PYTHON", help="the interpreter whose rankproof is the peer")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="only jobs whose names have this in them")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target is missed")
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs(Path(folder)):
            if options.only not in job.name:
                continue
            mine, printed = best(sys.executable, job, options.repeats)
            line = f"{job.name:<28} {mine:>7.2f} s"
            if options.against:
                theirs, other = best(options.against, job, options.repeats)
                ratio = theirs / mine
                line += f"   peer {theirs:>7.2f} s   {ratio:>5.1f} times faster"
                if job.target is not None:
                    line = f"{'ok  ' if ratio >= job.target else 'MISS'}  {line}   at least {job.target:g}"
                    missed |= ratio < job.target
                    if numbers(printed) != numbers(other):
                        sys.exit(f"{job.name}: the two print different numbers")
            print(line, flush=True)
    if options.check and missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
