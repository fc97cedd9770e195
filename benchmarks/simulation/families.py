"""Families whose every hypothesis is true, made of real scores: how often a correction lets one false alarm through.

Some systems of a score matrix are taken at random and topics are drawn with replacement. `permuted` shuffles the names
of the systems on each topic, which makes them exchangeable; `centered` takes each system's mean over all topics away,
which makes their means equal and nothing else: variances and correlations stay as unequal as they are in truth.
`scaled` makes them more unequal: each system's values about its mean are multiplied by a factor from 0.37 to 2.7.
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

FamilyNull = Literal["permuted", "centered", "scaled"]


def family(values: Values, systems: int, n: int, null: FamilyNull, rng: np.random.Generator) -> Values:
    """Scores of equally good systems on drawn topics, queries by systems."""
    columns = rng.permutation(values.shape[1])[:systems]
    chosen = values[:, columns]
    if null != "permuted":
        chosen = chosen - chosen.mean(axis=0)
    if null == "scaled":
        chosen = chosen * np.exp(rng.uniform(-1, 1, systems))
    found = chosen[rng.integers(0, len(chosen), n)]
    return rng.permuted(found, axis=1) if null == "permuted" else found


# No difference of scaled values lies further from 0.
WIDEST = 2 * np.e


def tests_of(scores: Values, resamples: int, rng: np.random.Generator, method: str) -> Tests:
    """All pairs of systems by the default test, as a comparison makes them."""
    pairs = tuple(combinations(range(scores.shape[1]), 2))
    differences = np.column_stack([scores[:, second] - scores[:, first] for first, second in pairs])
    item = shelf.find("significance", method)

    def at_level(level: float) -> Sequence[Answer]:
        answers: list[Answer] = item.many(differences, SignificanceRequest(level=level, low=-WIDEST, high=WIDEST), rng)
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
    method: str = "t_or_gaffke",
) -> ByMeasure:
    """The share of families with at least one false alarm: what "family-wise error" means."""
    rng = np.random.default_rng([seed, n, systems])
    item = None if correction is None else shelf.find("corrections", correction)
    found: ByMeasure = {}
    for measure, values in scores.items():
        alarms = 0
        for _ in range(families):
            made = tests_of(family(values, systems, n, null, rng), resamples, rng, method)
            told = made.answers if item is None else item.adjust(made, rng)
            alarms += any(getattr(one, "p_value", 1.0) <= ALPHA for one in told)
        found[measure] = Rate(alarms, families)
    return together(found)


def found_in_families(
    scores: dict[str, Values], corrections: Sequence[str], n: int, families: int, *, systems: int = 10, seed: int = 1
) -> dict[str, ByMeasure]:
    """The share of true differences found: one system of each family is better by 3.6 standard errors."""
    found: dict[str, ByMeasure] = {name: {} for name in corrections}
    for measure, values in scores.items():
        rng = np.random.default_rng([seed, n, systems])
        hits = dict.fromkeys(corrections, 0)
        for _ in range(families):
            drawn = family(values, systems, n, "centered", rng)
            spread = np.median([(drawn[:, k] - drawn[:, 0]).std() for k in range(1, systems)])
            drawn[:, 0] += 3.6 * spread / np.sqrt(n)
            made = tests_of(drawn, 999, rng, "t_or_gaffke")
            for name in corrections:
                told = shelf.find("corrections", name).adjust(made, rng)
                hits[name] += sum(one is not None and one.p_value <= ALPHA for one in told[: systems - 1])
        for name in corrections:
            found[name][measure] = Rate(hits[name], families * (systems - 1))
    return {name: together(rates) for name, rates in found.items()}
