"""Judges as a process of its own, to be killed: writer.py URL THREADS SEED prints each key once it is acknowledged.

Each judge also sends every fifth judgment twice, as a browser does that did not hear the answer, and takes every
seventh one back.
"""

from __future__ import annotations

import os
import random
import sys
from threading import Thread

from rankproof.judging.records import Judgment
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store


def acknowledge(key: str) -> None:
    """One write of one line: never half of it, never mixed with another thread's."""
    os.write(sys.stdout.fileno(), f"{key}\n".encode())


def judge(store: Store, number: int, seed: int) -> None:
    rng = random.Random(f"{seed} {number}")
    i = 0
    while True:
        i += 1
        key = f"{rng.getrandbits(128):032x}"
        act = Judgment(key, f"judge{number}", f"q{i % 20}", f"d{i}", i % 4)
        store.judgments.add("shop", act)
        acknowledge(key)
        if i % 5 == 0:
            assert not store.judgments.add("shop", act)
        if i % 7 == 0:
            back = f"{rng.getrandbits(128):032x}"
            store.judgments.add(
                "shop", Judgment(back, act.judge, act.query_id, act.doc_id, None, "withdrawn", withdraws=key)
            )
            acknowledge(back)


if __name__ == "__main__":
    opened = open_store(sys.argv[1])
    for at in range(int(sys.argv[2])):
        Thread(target=judge, args=(opened, at, int(sys.argv[3])), daemon=False).start()
