"""How long judges wait while reviewers have Settle and Explore open on a store with many judgments.

    python -m benchmarks.judging_load [--judgments 100000] [--judges 50] [--seconds 10] [--pause 0] [FOLDER]

`rankproof serve` runs as a process of its own on SQLite. First the judges save alone; then the two pages are loaded
once each; then the judges save while two reviewers load one page after the other without a pause.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.web.judging import load

from rankproof.judging.records import Judgment
from rankproof.judging.store import open_store
from rankproof.reading.collection import Query
from rankproof.web.context import stamp
from rankproof.web.security.credentials import digest, new_token

PAGES = ("settle", "explore")


def fill(url: str, judgments: int, judges: int) -> list[str]:
    """Judgments of two judges for each pair, two runs, and two reviewers who are signed in; their tokens."""
    rng = random.Random(1)
    queries = max(20, judgments // 200)
    acts = [
        Judgment(
            f"{2 * pair + at:032x}",
            f"judge{judge}",
            f"q{pair % queries}",
            f"d{pair // queries}",
            min(3, max(0, pair % 4 + rng.choice((0, 0, 0, 0, 1, -1)))),
        )
        for pair in range(judgments // 2)
        for at, judge in enumerate(rng.sample(range(judges), 2))
    ]
    until = stamp(datetime.now(UTC) + timedelta(days=1))
    tokens = []
    with open_store(url) as store:
        store.items.add_queries(load.SLUG, [Query(f"q{i}", f"words {i}") for i in range(load.QUERIES, queries)])
        store.judgments.add_many(load.SLUG, acts)
        for name in ("a", "b"):
            ranked = {f"q{q}": [f"d{d}" for d in rng.sample(range(100), 100)] for q in range(queries)}
            store.runs.add(load.SLUG, name, ranked, name * 64)
        store.projects.change(replace(store.projects.get(load.SLUG), wanted=2), "setup")
        for name in ("rita", "ron"):
            store.accounts.add(name, "viewer", "no password")
            store.memberships.put(name, load.SLUG, "reviewer", "setup")
            tokens.append(new_token())
            store.sessions.add(digest(tokens[-1]), name, new_token(), until)
    return tokens


def page(origin: str, token: str, name: str) -> float:
    """Seconds until a page has come."""
    request = urllib.request.Request(f"{origin}/p/{load.SLUG}/{name}", headers={"Authorization": f"Bearer {token}"})
    began = time.perf_counter()
    with urllib.request.urlopen(request, timeout=120) as answer:
        answer.read()
    return time.perf_counter() - began


def measured(folder: Path, judgments: int, judges: int, seconds: float, pause: float) -> dict[str, float]:
    """The 95% of saving alone and beside reviewers in milliseconds, and how long each page took in seconds."""
    url = str(folder / "judging.db")
    tokens = load.prepare(url, judges)
    reviewers = fill(url, judgments, judges)
    seen: dict[str, list[float]] = {name: [] for name in PAGES}
    with load.running(url, folder / "log") as (_, origin):
        load.judge_all(origin, tokens, 1.0, pause)
        alone = load.judge_all(origin, tokens, seconds, pause)
        first = {name: page(origin, reviewers[0], name) for name in PAGES}
        stop = threading.Event()

        def review(token: str) -> None:
            while not stop.is_set():
                for name in PAGES:
                    seen[name].append(page(origin, token, name))

        threads = [threading.Thread(target=review, args=(token,)) for token in reviewers]
        for thread in threads:
            thread.start()
        beside = load.judge_all(origin, tokens, seconds, pause)
        stop.set()
        for thread in threads:
            thread.join()
    lost = len((alone.acknowledged.keys() | beside.acknowledged.keys()) - set(load.kept(url)))
    numbers = {"save p95 alone, ms": alone.percentile(0.95), "save p95 beside, ms": beside.percentile(0.95)}
    numbers |= {f"first {name}, s": took for name, took in first.items()}
    numbers |= {f"{name} p95, s": sorted(took)[int(0.95 * len(took))] for name, took in seen.items() if took}
    return numbers | {"lost": lost, "refused": len(alone.refused) + len(beside.refused)}


def main(args: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--judgments", type=int, default=100_000)
    parser.add_argument("--judges", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=0.0)
    asked = parser.parse_args(args)
    with tempfile.TemporaryDirectory(dir=asked.folder) as made:
        for name, value in measured(Path(made), asked.judgments, asked.judges, asked.seconds, asked.pause).items():
            print(f"{name}: {value:.3g}")


if __name__ == "__main__":
    main()
