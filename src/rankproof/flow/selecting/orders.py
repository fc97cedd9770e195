"""Orders: the way in which a judge goes through the pool, fixed by a seed for each judge.

Judges who see the same documents in the same order tire, learn and anchor alike, and their agreement says too much.
Judges who take turns at one query cost that query a consistent hand. So
  * where pairs matter alike, the documents of a query come together, shuffled for each judge, which hides their ranks
    too. As many judges as a pair needs go through the queries together, the next as many in another order;
  * where the first pairs matter most, pairs are shuffled in windows: nobody leaves the order by more than a window.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.selecting.pool import Pool

WINDOW = 20


def chance(*parts: object) -> np.random.Generator:
    """A generator that depends on these parts and on nothing else."""
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(sha256(text).digest()[:16], "big"))


def order_of(pool: Pool, judge: str, arrival: int, seed: int = 0) -> NDArray[np.int64]:
    """The pairs that anybody may take, as places in the pool, in this judge's order; `arrival` counts judges from 0."""
    shared = np.array(pool.shared, dtype=np.int64)
    if pool.by == "query":
        group, company = pool.queries, arrival // pool.together
        if company and len(group):
            group = chance(seed, "queries", company).permutation(int(group.max()) + 1)[group]
    else:
        group = np.arange(len(shared)) // WINDOW
    turn = chance(seed, "judge", judge).random(len(shared))
    mine: NDArray[np.int64] = shared[np.lexsort((turn, group))]
    return mine


def turn_of(seed: int, judge: str, pair: tuple[str, str]) -> bytes:
    """Where a document stands when a judge sees all of its query: by this, which tells nothing of its rank."""
    return sha256("\0".join((str(seed), judge, *pair)).encode("utf-8", "surrogatepass")).digest()
