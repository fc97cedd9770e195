"""Few: all grades that a query's open documents could have, where they are few enough to be tried."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.trials import tried
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values, Variant

# A query with at most this many different trials has them all computed.
FEW = 4096
# Documents over all trials of a query that are still computed: about a tenth of a second.
MOST_CELLS = 1_500_000


def most_of_few(
    world: World, variant: Variant, grades: NDArray[np.int64], plus: int | None, minus: int | None, wanted: list[int]
) -> dict[int, float]:
    """The greatest value of one run less that of another, for those of the wanted queries that can be gone through.

    Documents that neither run has are alike: only how many of them have each grade matters. NaN where no trial is
    defined.
    """
    runs = [run for run in (plus, minus) if run is not None]
    seen = (world.rank[runs] > 0).any(axis=0) & world.open
    single, alike = world.pool.count(seen), world.pool.count(world.open & ~seen)
    chosen = [
        query
        for query in wanted
        if (ways := _ways(int(single[query]), int(alike[query]), len(grades))) <= FEW
        and ways * int(world.pool.size[query]) <= MOST_CELLS
    ]
    found: dict[int, float] = {}
    for query, values in tried(world, variant, chosen, lambda query: _every(world, query, seen, grades), plus, minus):
        found[query] = _greatest(values)
    return found


def _greatest(values: Values) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmax(values))


def _ways(single: int, alike: int, grades: int) -> float:
    """How many trials differ; not a number of any size: powers beyond reason are infinite."""
    if single > FEW.bit_length():
        return math.inf if grades > 1 else 1.0
    return float(grades**single) * math.comb(alike + grades - 1, grades - 1)


def _every(world: World, query: int, seen: NDArray[np.bool_], grades: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every choice of grades for the documents that are seen, with every mixture for the others."""
    here = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
    mask = seen[here][world.open[here]]
    single, alike = int(mask.sum()), int((~mask).sum())
    ones = _table(list(product(grades.tolist(), repeat=single)), single)
    mixed = _table(list(combinations_with_replacement(grades.tolist(), alike)), alike)
    trials = np.empty((len(ones) * len(mixed), single + alike), dtype=np.int64)
    trials[:, mask] = np.repeat(ones, len(mixed), axis=0)
    trials[:, ~mask] = np.tile(mixed, (len(ones), 1))
    return trials


def _table(rows: list[tuple[int, ...]], columns: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)
