"""Small families of tests, for the pages of corrections and for their tests."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.corrections.contract import Block, Tests
from rankproof.proving.significance import t
from rankproof.proving.significance.contract import SignificanceRequest


def family(p_values: Sequence[float | None], level: float = 0.95) -> Tests:
    """Tests with these p-values, of means with standard error 1 and normal intervals; None is one not made."""
    from scipy.special import ndtri

    def at_level(at: float) -> list[Answer]:
        reach = float(ndtri((1 + at) / 2))
        answers: list[Answer] = []
        for p in p_values:
            if p is None:
                answers.append(NotEstimable("no query differs: there is nothing to test", "z", 50, 0.0))
            else:
                value = -float(ndtri(p / 2))
                answers.append(Estimate(value, value - reach, value + reach, p, at, "z", 50))
        return answers

    return Tests(at_level(level), at_level, (), level, 1_000)


def all_pairs(tables: Sequence[Sequence[Sequence[float]]], level: float = 0.95, resamples: int = 9_999) -> Tests:
    """Every pair of the systems of each table (queries by systems), by the t test; one block for each table."""
    blocks: list[Block] = []
    columns: list[NDArray[np.float64]] = []
    for table in tables:
        scores = np.array(table, dtype=np.float64)
        pairs = tuple(itertools.combinations(range(scores.shape[1]), 2))
        blocks.append(Block(scores, pairs, tuple(range(len(columns), len(columns) + len(pairs)))))
        columns += [scores[:, b] - scores[:, a] for a, b in pairs]

    def at_level(at: float) -> list[Answer]:
        rng = np.random.default_rng(0)
        return [t.infer(column, SignificanceRequest(at), rng) for column in columns]

    return Tests(at_level(level), at_level, blocks, level, resamples)


def adjusted(correction: str, tests: Tests, seed: int = 0) -> list[float | None]:
    """The p-values a correction makes of a family, to three places; None for a test that was not made."""
    from rankproof.kernel import shelf

    made = shelf.find("corrections", correction).adjust(tests, np.random.default_rng(seed))
    return [None if one is None else round(one.p_value, 3) for one in made]
