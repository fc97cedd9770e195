"""How many lists a server makes in a second, and what a log of pages takes to read.

    python benchmarks/interleaving.py                    every method on two rankings of 10, 50 and 200 documents
    python benchmarks/interleaving.py --log 1000000      and a log of so many pages, written, read and analyzed

Time is of the processor, on one thread. `optimized` remembers how it solved a pair of rankings: "new" are rankings that
it has not seen, "seen" are queries that come again, as most do.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

from rankproof.online.interleaving.logs import read_logs
from rankproof.online.interleaving.read import analyze
from rankproof.online.interleaving.show import interleave

METHODS = ("team_draft", "team_draft_multileave", "probabilistic", "optimized")
QUERIES = 200


def rankings(rng: random.Random, size: int) -> dict[str, list[str]]:
    """Two systems that share about half of what they rank."""
    pool = [f"document-{i}" for i in range(size * 3 // 2)]
    return {name: rng.sample(pool, size) for name in ("old", "new")}


def rate(method: str, pairs: list[dict[str, list[str]]], seconds: float = 1.0) -> float:
    """Lists in a second."""
    began, done = time.process_time(), 0
    while (spent := time.process_time() - began) < seconds:
        interleave(pairs[done % len(pairs)], f"session {done}", method)
        done += 1
    return done / spent


def speed() -> None:
    rng = random.Random(0)
    print(f"{'method':<24}{'documents':>10}{'rankings':>10}{'lists/s':>10}{'us each':>9}")
    for method in METHODS:
        for size in (10, 50, 200):
            pairs = [rankings(rng, size) for _ in range(QUERIES)]
            kinds = {"new": [rankings(rng, size) for _ in range(4096)], "seen": pairs}
            for kind, given in kinds.items():
                if kind == "new" and method != "optimized":
                    continue
                if kind == "seen":
                    for pair in given:
                        interleave(pair, "warm", method)
                found = rate(method, given)
                told = kind if method == "optimized" else ""
                print(f"{method:<24}{size:>10}{told:>10}{found:>10,.0f}{1e6 / found:>9.0f}")


def log(pages: int) -> None:
    rng = random.Random(0)
    pairs = [rankings(rng, 20) for _ in range(QUERIES)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        began = time.process_time()
        with path.open("w") as file:
            for i in range(pages):
                shown = interleave(pairs[i % QUERIES], str(i))
                row = {"unit": f"u{i // 3}", "key": str(i), "query_id": str(i % QUERIES), "shown": shown.to_dict()}
                file.write(json.dumps(row) + "\n")
                for doc in shown.docs[:2]:
                    if rng.random() < 0.3:
                        file.write(json.dumps({"key": str(i), "doc_id": doc}) + "\n")
        made = time.process_time()
        size = path.stat().st_size / 1e6
        logged = read_logs([str(path)])
        read = time.process_time()
        analyze(logged)
        done = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{pages:,} pages, {size:,.0f} MB: written in {made - began:.1f} s, read in {read - made:.1f} s, ", end="")
    print(f"analyzed in {done - read:.1f} s; at most {memory:,.0f} MB of memory")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--log", type=int, metavar="PAGES")
    asked = reader.parse_args()
    if asked.log:
        log(asked.log)
    else:
        speed()


if __name__ == "__main__":
    main()
