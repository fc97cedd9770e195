"""Randomized Tukey HSD: against a plain reference with the same shuffles, its ends, and its family error."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.proving.corrections import contract
from rankproof.proving.corrections.tukey import ranges, shuffles
from rankproof.proving.records import Adjusted
from rankproof.testing.statistics import all_pairs, family


def tukey(tests: contract.Tests, seed: int = 0) -> list[Adjusted]:
    return shelf.find("corrections", "tukey").adjust(tests, np.random.default_rng(seed))


def table(seed: int, queries: int, systems: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((queries, 1)) + 0.5 * rng.random((queries, systems)) + 0.04 * np.arange(systems)


def plain(scores: np.ndarray, orders: np.ndarray) -> list[float]:
    """Carterette's algorithm, one permutation after the other."""
    reached = []
    for order in orders:
        shuffled = np.array([row[places] for row, places in zip(scores, order, strict=True)])
        means = shuffled.mean(axis=0)
        reached.append(means.max() - means.min())
    return reached


def test_p_values_and_ends_equal_those_of_a_plain_reference_with_the_same_shuffles() -> None:
    scores = table(0, 12, 5)
    reached = np.array(plain(scores, shuffles((999, 12), 5, np.random.default_rng(0))))
    found = tukey(all_pairs([scores.tolist()], resamples=999))
    # (1 + 49) / 1000 = 0.05 still rejects: the 50th from above is the first difference that does not.
    farthest = np.sort(reached)[-50]
    means = scores.mean(axis=0)
    for (a, b), one in zip(itertools.combinations(range(5), 2), found, strict=True):
        difference = means[b] - means[a]
        assert one.p_value == (1 + np.count_nonzero(reached >= abs(difference))) / 1000
        assert (one.low, one.high) == pytest.approx((difference - farthest, difference + farthest))
        assert (one.low <= 0 <= one.high) == (one.p_value > 1 - 0.95)
        assert one.kind == "simultaneous 95% (randomized Tukey HSD)"


def test_several_tables_share_their_level() -> None:
    """Two measures of the same systems: p-values are doubled, and ends stand where half the level leaves them."""
    one, two = table(0, 12, 4), table(1, 12, 4)
    alone = tukey(all_pairs([one.tolist()], level=0.975, resamples=999))
    both = tukey(all_pairs([one.tolist(), two.tolist()], resamples=999))
    assert len(both) == 12
    for single, shared in zip(alone, both, strict=False):
        assert shared.p_value == min(1.0, 2 * single.p_value)
        assert (shared.low, shared.high) == pytest.approx((single.low, single.high))
        assert shared.kind == (
            "simultaneous 95% (randomized Tukey HSD within, Bonferroni across 2 tables of measures and segments)"
        )


def test_every_order_is_as_likely_as_another() -> None:
    """24 orders of 4 systems in 48,000 rows: 2,000 each; chi-square with 23 degrees of freedom."""
    orders = shuffles((4_000, 12), 4, np.random.default_rng(0)).reshape(-1, 4)
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    _, counts = np.unique(orders @ [64, 16, 4, 1], return_counts=True)
    assert len(counts) == 24
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 52.6  # beyond it: 4 in 10,000


@pytest.mark.parametrize("systems", [2, 3, 17])
def test_chunks_change_nothing_but_memory(systems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [table(seed, 9, systems) for seed in (0, 1)]
    whole = ranges(tables, 200, np.random.default_rng(3))
    monkeypatch.setattr("rankproof.proving.corrections.tukey.CHUNK", 9 * systems * 7)
    again = ranges(tables, 200, np.random.default_rng(3))
    assert whole.shape == again.shape == (2, 200)
    assert whole == pytest.approx(again)


def test_equal_systems_are_rarely_told_apart() -> None:
    """Six equal systems, 15 pairs: some pair is called different in at most 5% of trials plus three standard errors."""
    rng = np.random.default_rng(11)
    alarms = 0
    for trial in range(400):
        scores = rng.random((20, 1)) + rng.normal(0, 0.2, (20, 6))
        found = tukey(all_pairs([scores.tolist()], resamples=199), seed=trial)
        alarms += any(one.p_value <= 0.05 for one in found)
    assert alarms / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_one_sided_tests_are_refused() -> None:
    tests = family([0.2])
    greater = [replace(answer, alternative="greater") for answer in tests.answers]
    with raises(UsageError, "Tukey", "two-sided", "greater of 0", "holm"):
        tukey(replace(tests, answers=greater))
