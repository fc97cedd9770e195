"""Families whose every hypothesis is true, made of real scores: how often a correction lets one false alarm through.

Some systems of a score matrix are taken at random and topics are drawn with replacement. `permuted` shuffles the names
of the systems on each topic, which makes them exchangeable; `centered` takes each system's mean over all topics away,
which makes their means equal and nothing else: variances and correlations stay as unequal as they are in truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer
from rankproof.proving.corrections.contract import Block, Tests
from rankproof.proving.significance.contract import SignificanceRequest

from .studies import ALPHA, LEVEL
from .worlds import ByMeasure, Rate, Values, together

FamilyNull = Literal["permuted", "centered"]


def family(values: Values, systems: int, n: int, null: FamilyNull, rng: np.random.Generator) -> Values:
    """Scores of equally good systems on drawn topics, queries by systems."""
    columns = rng.permutation(values.shape[1])[:systems]
    chosen = values[:, columns]
    if null == "centered":
        chosen = chosen - chosen.mean(axis=0)
    found = chosen[rng.integers(0, len(chosen), n)]
    return rng.permuted(found, axis=1) if null == "permuted" else found


def tests_of(scores: Values, resamples: int, rng: np.random.Generator) -> Tests:
    """All pairs of systems by the default test, as a comparison makes them."""
    pairs = tuple(combinations(range(scores.shape[1]), 2))
    differences = np.column_stack([scores[:, second] - scores[:, first] for first, second in pairs])
    item = shelf.find("significance", "t")

    def at_level(level: float) -> Sequence[Answer]:
        answers: list[Answer] = item.many(differences, SignificanceRequest(level=level), rng)
        return answers

    block = Block(scores, pairs, tuple(range(len(pairs))))
    return Tests(at_level(LEVEL), at_level, (block,), LEVEL, resamples)


def family_error(
    scores: dict[str, Values],
    correction: str | None,
    null: FamilyNull,
    n: int,
    families: int,
    *,
    systems: int = 5,
    resamples: int = 999,
    seed: int = 0,
) -> ByMeasure:
    """The share of families with at least one false alarm: what "family-wise error" means."""
    rng = np.random.default_rng([seed, n, systems])
    item = None if correction is None else shelf.find("corrections", correction)
    found: ByMeasure = {}
    for measure, values in scores.items():
        alarms = 0
        for _ in range(families):
            made = tests_of(family(values, systems, n, null, rng), resamples, rng)
            told = made.answers if item is None else item.adjust(made, rng)
            alarms += any(getattr(one, "p_value", 1.0) <= ALPHA for one in told)
        found[measure] = Rate(alarms, families)
    return together(found)
