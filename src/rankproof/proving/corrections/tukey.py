"""Randomized Tukey HSD: each pair of systems against the largest difference that chance gives among all of them.

Where all systems are alike, their values may be shuffled within each query. Each random shuffle gives a range, the
greatest mean less the least; the adjusted p-value of a pair is the share of shuffles whose range is at least the pair's
difference, the observed one counted in. It is paired by query, and assumes that shuffling is fair: that no system's
values spread much more than another's.

The intervals are the difference plus and minus the range that 5% of the shuffles reach: with 95% confidence all of them
hold together. One table of systems is one measure on one set of queries. With several, p-values are multiplied by the
number of tables and ranges are taken further out (Bonferroni), so that the whole family is covered.

controls: family-wise error
source: Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, TOIS
30(1), 2012

Three queries, two systems, differences 1, 2 and 3: 2 of 8 shuffles have a range of 2 or more, those that put one system
first in every query:

>>> from rankproof.testing.statistics import adjusted, all_pairs
>>> adjusted("tukey", all_pairs([[[0, 1], [0, 2], [0, 3]]], resamples=99_999))
[0.249]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.proving.corrections._family import made, percent
from rankproof.proving.corrections.contract import Block, Correction, Tests
from rankproof.proving.records import Adjusted
from rankproof.proving.significance._tails import decisive
from rankproof.proving.significance._typical import of_rank
from rankproof.proving.significance.contract import SAME

CHUNK = 2_000_000  # permutations x queries x systems at a time

Scores = NDArray[np.float64]


def ranges(tables: Sequence[Scores], permutations: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Tables by permutations: the greatest mean less the least. Tables of one shape, permuted alike."""
    queries, systems = tables[0].shape
    flat = [np.ascontiguousarray(table).ravel() for table in tables]
    rows = (systems * np.arange(queries))[:, None]
    ranges = np.empty((len(tables), permutations))
    step = max(1, CHUNK // (queries * systems))
    for start in range(0, permutations, step):
        size = min(step, permutations - start)
        at = rows + shuffles((size, queries), systems, rng)
        for table, values in enumerate(flat):
            sums = values.take(at).sum(axis=1)
            ranges[table, start : start + size] = (sums.max(axis=1) - sums.min(axis=1)) / queries
    return ranges


def shuffles(shape: tuple[int, int], systems: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Random orders of the systems: random numbers are sorted, each with its system in its last bits.

    Numbers of 32 bits sort fastest. Two that agree in all bits before the system's are left in the order of the
    systems; for 20 systems this happens to one pair in 130 million.
    """
    bits = (systems - 1).bit_length()
    keys = rng.integers(0, 2 ** (32 - bits), (*shape, systems), dtype=np.uint32)
    keys <<= np.uint32(bits)
    keys |= np.arange(systems, dtype=np.uint32)
    keys.sort(axis=-1)
    keys &= np.uint32(2**bits - 1)
    return keys.astype(np.int64)


def adjust(tests: Tests, rng: np.random.Generator) -> list[Adjusted | None]:
    """p-values and intervals from the ranges of shuffled tables."""
    estimates = made(tests)
    for answer in estimates.values():
        if answer.alternative != "two-sided" or answer.null != 0:
            raise UsageError(
                f"Tukey's correction is for two-sided tests of 0; got {answer.alternative} of {answer.null:g}. "
                "Use holm for one-sided tests and margins."
            )
    blocks = [block for block in tests.blocks if any(test in estimates for test in block.tests)]
    kind = f"simultaneous {percent(tests.level)} (randomized Tukey HSD)"
    if len(blocks) > 1:
        kind = f"{kind[:-1]} within, Bonferroni across {len(blocks)} tables of measures and segments)"
    adjusted: list[Adjusted | None] = [None] * len(tests.answers)
    for shape in dict.fromkeys(block.scores.shape for block in blocks):
        alike = [block for block in blocks if block.scores.shape == shape]
        spread = ranges([block.scores for block in alike], tests.resamples, rng)
        for block, reached in zip(alike, spread, strict=True):
            _adjust_block(block, reached, estimates, len(blocks), tests.level, kind, adjusted)
    return adjusted


def _adjust_block(
    block: Block,
    reached: NDArray[np.float64],
    estimates: dict[int, Estimate],
    blocks: int,
    level: float,
    kind: str,
    adjusted: list[Adjusted | None],
) -> None:
    total = len(reached) + 1
    rank = decisive(total, level, blocks)  # so many shuffles may reach further, besides the observed one
    farthest = -of_rank(-reached, rank) if rank > 0 else math.inf
    near = SAME * float(np.abs(block.scores).max())
    for test in block.tests:
        if test not in estimates:
            continue
        value = estimates[test].value
        size = abs(value)
        p = min(1.0, blocks * (1 + int(np.count_nonzero(reached >= size - near))) / total)
        # A range equal to the difference but for rounding is a tie, on the end of the interval.
        half = size if abs(farthest - size) <= near else farthest
        adjusted[test] = Adjusted(p, value - half, value + half, kind)


OFFERS = (
    Correction(
        name="tukey",
        page=__doc__,
        adjust=adjust,
        controls="family-wise error",
        needs_all_pairs=True,
        draws_queries=True,
    ),
)
