"""Ties with more orders than can be listed: random orders come near, say so, and agree with closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.measuring.measures.worlds import World, crowd

from rankproof.measuring import ties
from rankproof.measuring.names import parse
from rankproof.measuring.ties import over_ties


def large(queries: int = 3) -> World:
    """Rankings of 40 tied documents: no one can list their orders."""
    docs = [f"d{i:02}" for i in range(40)]
    return World(
        {f"q{q}": {doc: {"a": (i * (q + 1)) % 4} for i, doc in enumerate(docs[:25])} for q in range(queries)},
        {f"q{q}": dict.fromkeys(docs, 1.0) for q in range(queries)},
    )


@pytest.mark.parametrize("text", ["INST", "Compat", "Bpref", "infAP", "IPrec@0.5", "G"])
def test_random_orders_come_near_and_say_so(text: str) -> None:
    (variant,) = parse(text)
    table = large().table(variant.measure)
    told = over_ties(table, variant)
    assert not told.exact
    assert f"{ties.SAMPLES} random orders (seed 0) in 3 of 3 queries" in told.note
    error = float(told.note.rpartition(" ")[2])
    assert 0 < error < 0.02
    others = [over_ties(table, variant, seed=seed) for seed in (1, 2, 3)]
    assert over_ties(table, variant).by_query.tolist() == told.by_query.tolist(), "the seed decides"
    assert others[0].expected != told.expected
    for other in others:
        # Two estimates differ by less than five times their common error.
        assert abs(other.expected - told.expected) < 5 * math.sqrt(2) * error
    assert told.least <= told.expected <= told.greatest


@pytest.mark.parametrize(
    "text", ["nDCG@10", "ERR@10", "RR", "AP", "AP@20", "RBP", "F@10", "Success@2", "nERR", "MinPos"]
)
def test_a_closed_form_agrees_with_random_orders_of_large_groups(text: str) -> None:
    (variant,) = parse(text)
    table = large().table(variant.measure)
    told = over_ties(table, variant)
    assert told.exact
    sampled = ties._over_orders(table, variant, variant.k, seed=7)
    error = math.sqrt(sampled.variance) / len(table)
    assert abs(float(sampled.columns[:, 1].mean()) - told.expected) < 5 * error
    assert (sampled.columns[:, 0] >= told.by_query[:, 0] - 1e-12).all()
    assert (sampled.columns[:, 2] <= told.by_query[:, 2] + 1e-12).all()


def test_a_sampled_range_is_not_called_exact_though_the_mean_is() -> None:
    (variant,) = parse("StRecall@5")
    told = over_ties(large().table(variant.measure), variant)
    assert not told.exact
    assert told.note.startswith("least and greatest from 500 random orders")


def test_memory_is_bounded_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (variant,) = parse("INST")
    table = crowd(seed=6, queries=12, most=6, tied=True).table(variant.measure)
    whole = over_ties(table, variant).by_query
    monkeypatch.setattr(ties, "AT_ONCE", 1)
    assert np.array_equal(over_ties(table, variant).by_query, whole)
