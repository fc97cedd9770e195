"""How long a comparison of two large runs takes, and how much memory: `rankproof compare` with all that it says.

    python -m benchmarks.compare_large [--queries 6980] [--repeats 3] [--against PYTHON]

Runs of 1,000 rows a query, and one or two relevant documents a query, the same for the same numbers. `--against` is
the interpreter of another checkout; the answers of both must be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DEPTH = 1000
MEASURES = "nDCG@10 RR@10 AP R@100 P@10"


def write(folder: Path, queries: int) -> list[str]:
    """Judgments and two runs that share about two thirds of their documents."""
    rng = np.random.default_rng(7)
    paths = [folder / name for name in ("qrels", "a.run", "b.run")]
    with paths[0].open("w") as qrels, paths[1].open("w") as one, paths[2].open("w") as other:
        for query in range(queries):
            docs = rng.permutation(np.unique(rng.integers(0, 8_841_823, 1700)))[: DEPTH * 3 // 2]
            second = docs[np.argsort(np.arange(len(docs)) + rng.normal(0, 150, len(docs)))]
            for at in {int(at) for at in np.minimum(rng.exponential(120, rng.choice([1, 1, 1, 2])), len(docs) - 1)}:
                qrels.write(f"{query} 0 {docs[at]} 1\n")
            for file, ranking in ((one, docs), (other, second)):
                scores = np.round(np.sort(rng.gamma(3, 4, DEPTH))[::-1], 4).tolist()
                rows = enumerate(zip(ranking[:DEPTH].tolist(), scores, strict=True), 1)
                file.write("".join(f"{query} Q0 {doc} {rank} {score:.4f} run\n" for rank, (doc, score) in rows))
    return [str(path) for path in paths]


def once(python: str, files: list[str], *options: str) -> tuple[float, float, float, object]:
    """Seconds by the clock and of the processor, megabytes at the most, and the answer but for its times."""
    command = [python, "-m", "rankproof", "compare", *files, "-m", MEASURES, "--json", *options]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    answer = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed.")
    answer.pop("observed", None)
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, answer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--queries", type=int, default=6980)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--against", metavar="PYTHON", help="the interpreter of another checkout")
    asked = options.parse_args()
    pythons = [sys.executable, *([asked.against] if asked.against else [])]
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), asked.queries)
        for more in ((), ("--no-beyond",)):
            found = {python: [once(python, files, *more) for _ in range(asked.repeats)] for python in pythons}
            best = {python: [min(run[i] for run in runs) for i in range(3)] for python, runs in found.items()}
            for python, (clock, cpu, memory) in best.items():
                print(f"{' '.join(more) or 'all':<12} {clock:6.2f} s {cpu:6.2f} CPU s {memory:6.0f} MB  {python}")
            if asked.against:
                ours, theirs = best[sys.executable], best[asked.against]
                same = found[sys.executable][0][3] == found[asked.against][0][3]
                print(
                    f"{'ratio':<12} {theirs[0] / ours[0]:6.2f}   {theirs[1] / ours[1]:6.2f}       "
                    f"{theirs[2] / ours[2]:6.2f}     {'same answers' if same else 'THE ANSWERS DIFFER'}"
                )


if __name__ == "__main__":
    main()
