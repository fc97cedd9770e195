"""Ranges of shuffled means: the systems' values are shuffled within each query, and the range of their means kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

CHUNK = 2_000_000  # permutations x queries x systems at a time

Scores = NDArray[np.float64]


def ranges(tables: Sequence[Scores], permutations: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Tables by permutations: the greatest mean less the least. Tables of one shape, permuted alike."""
    queries, systems = tables[0].shape
    flat = [np.ascontiguousarray(table).ravel() for table in tables]
    rows = (systems * np.arange(queries))[:, None]
    found = np.empty((len(tables), permutations))
    step = max(1, CHUNK // (queries * systems))
    for start in range(0, permutations, step):
        size = min(step, permutations - start)
        at = rows + shuffles((size, queries), systems, chance)
        for table, values in enumerate(flat):
            sums = values.take(at).sum(axis=1)
            found[table, start : start + size] = (sums.max(axis=1) - sums.min(axis=1)) / queries
    return found


def shuffles(shape: tuple[int, int], systems: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Random orders of the systems: random numbers are sorted, each with its system in its last bits.

    Numbers of 32 bits sort fastest. Two that agree in all bits before the system's are left in the order of the
    systems; for 20 systems this happens to one pair in 130 million.
    """
    bits = (systems - 1).bit_length()
    keys = chance.integers(0, 2 ** (32 - bits), (*shape, systems), dtype=np.uint32)
    keys <<= np.uint32(bits)
    keys |= np.arange(systems, dtype=np.uint32)
    keys.sort(axis=-1)
    keys &= np.uint32(2**bits - 1)
    return keys.astype(np.int64)
