"""The verdict over several datasets: what it ships where nothing is better, and whether the largest dataset decides.

Three datasets of 25, 50 and 300 queries and three modes, 1,000 sets in the long form. Many values are those of the
query itself, so that many differences are 0; the others lie anywhere, so that differences have long tails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from tests.effort import examples
from tests.stack.benchmark.several import config_for, part

from rankproof.stack.benchmark.datasets.over import over_datasets
from rankproof.stack.benchmark.datasets.records import MultiBenchmark

SIZES = {"small": 25, "middle": 50, "large": 300}
MODES = ("base", "one", "two")
SETS = 1000
CONFIG = config_for(tuple(SIZES), MODES)


# How many values are those of the query itself: on the smallest dataset differences are the widest.
ALIKE = {"small": 0.1, "middle": 0.5, "large": 0.7}


def drawn(name: str, effects: Sequence[float], rng: np.random.Generator) -> np.ndarray:
    """Values by query and mode; without effects the modes are exchangeable, so that no difference is the truth."""
    shape = SIZES[name], len(effects)
    query, own = rng.beta(0.5, 0.7, (shape[0], 1)), rng.beta(0.5, 0.7, shape)
    return 0.1 + 0.7 * np.where(rng.random(shape) < ALIKE[name], query, own) + np.asarray(effects)


def whole(effects: Mapping[str, Sequence[float]], rng: np.random.Generator) -> MultiBenchmark:
    """The verdict over datasets that were drawn."""
    values = {name: drawn(name, effects[name], rng) for name in SIZES}
    own = {name: dict(zip(MODES, table.T.tolist(), strict=True)) for name, table in values.items()}
    return over_datasets(CONFIG, {name: part(CONFIG, name, own[name]) for name in SIZES})


def slack(trials: int) -> float:
    """Three standard errors of the simulation."""
    return float(3 * (0.05 * 0.95 / trials) ** 0.5)


# By dataset what is added to each mode; the mean over datasets is 0 for all modes in all of these.
NOTHING = dict.fromkeys(SIZES, (0.0, 0.0, 0.0))
WORLDS: dict[str, dict[str, Sequence[float]]] = {
    "nothing differs": NOTHING,
    "the largest gains what the others lose": {
        "small": (0, -0.05, -0.05), "middle": (0, -0.05, -0.05), "large": (0, 0.1, 0.1),
    },
    "the smallest loses what the others gain": {
        "small": (0, -0.1, 0.1), "middle": (0, 0.05, -0.05), "large": (0, 0.05, -0.05),
    },
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("world", WORLDS)
def test_what_is_no_better_over_the_datasets_is_rarely_shipped(world: str) -> None:
    """At most 5% of sets ship another mode than the baseline, or call any difference significant."""
    rng, sets = np.random.default_rng([*WORLDS].index(world)), examples(SETS)
    shipped = called = 0
    for _ in range(sets):
        found = whole(WORLDS[world], rng)
        shipped += found.advice.ship != "base"
        called += any(contrast.direction != "not shown" for contrast in found.comparison.contrasts)
    assert shipped / sets <= 0.05 + slack(sets), shipped
    assert called / sets <= 0.05 + slack(sets), called


@pytest.mark.full
def test_the_largest_dataset_alone_would_have_decided() -> None:
    """What the verdict is not: over all queries together the modes of the second world are nearly always better."""
    rng, sets = np.random.default_rng(6), examples(300)
    effects = WORLDS["the largest gains what the others lose"]
    pooled = shipped = 0
    for _ in range(sets):
        values = [drawn(name, effects[name], rng) for name in SIZES]
        differences = np.concatenate([table[:, 1] - table[:, 0] for table in values])
        error = differences.std(ddof=1) / len(differences) ** 0.5
        pooled += differences.mean() / error > 1.96
        own = {name: dict(zip(MODES, table.T.tolist(), strict=True)) for name, table in zip(SIZES, values, strict=True)}
        shipped += over_datasets(CONFIG, {n: part(CONFIG, n, own[n]) for n in SIZES}).advice.ship != "base"
    assert pooled / sets > 0.5, pooled
    assert shipped / sets <= 0.05 + slack(sets), shipped


@pytest.mark.full
def test_what_is_better_everywhere_is_shipped() -> None:
    """The test can tell: 0.15 more everywhere is found in most sets."""
    rng, sets = np.random.default_rng(7), examples(100)
    effects = dict.fromkeys(SIZES, (0.0, 0.15, 0.0))
    shipped = [whole(effects, rng).advice.ship for _ in range(sets)]
    assert shipped.count("one") / sets > 0.8, shipped
