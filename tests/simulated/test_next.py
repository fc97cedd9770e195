"""What `rankproof next` saves on dl20 with half of its judgments hidden, against judging by rank."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from benchmarks.next import Bounds, Collection, dl20, in_proposed_order, needed, trials
from tests.shared_data import SHARED, needs_shared_data

from rankproof.measuring.names import parse
from rankproof.measuring.prepare import prepare_qrels
from rankproof.proving.holes.summary import holes


@pytest.mark.slow
@needs_shared_data
def test_a_sign_is_certain_after_at_most_four_fifths_of_the_judgments_and_never_later() -> None:
    collection = dl20(SHARED / "dl20")
    assert len(collection.pairs) >= 15
    found = list(trials(collection, seeds=(0, 1)))
    ratios = [trial.proposed / trial.by_rank for trial in found if trial.by_rank]
    assert len(ratios) > 30
    assert statistics.fmean(ratios) <= 0.8
    assert max(ratios) <= 1.0


@needs_shared_data
def test_the_bounds_of_the_simulation_are_those_of_rankproof() -> None:
    """After so many judgments the bounds exclude 0, and with one less they do not."""
    collection = dl20(SHARED / "dl20")
    known, pair = collection.half(3), collection.pairs[4]
    count = needed(collection, known, pair, in_proposed_order(collection, known, pair))
    order = list(in_proposed_order(collection, known, pair))
    for judged, certain in ((order[: count - 1], False), (order[:count], True)):
        more = {query: dict(docs) for query, docs in known.items()}
        for query, doc in judged:
            more[query][doc] = collection.qrels[query][doc]
        qrels = prepare_qrels(more)
        runs = [qrels.prepare(collection.runs[name]) for name in pair]
        bound = holes(runs, parse("DCG@10"), top_grade=collection.top).bounds[0].differences[0]
        mine = Bounds(collection, more, pair)
        assert (bound.least > 0 or bound.greatest < 0) is certain is mine.certain
        assert bound.least * len(qrels.pool) == pytest.approx(mine.low)
        assert bound.greatest * len(qrels.pool) == pytest.approx(mine.high)


def made_up(seed: int, queries: int = 40, depth: int = 15) -> Collection:
    """Two systems that see noisy grades, the second through less noise; every document of either is judged."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"noisy": {}, "clear": {}}
    for number in range(queries):
        query, docs = f"q{number}", [f"d{i}" for i in range(60)]
        grades = rng.choice(4, size=60, p=(0.7, 0.15, 0.1, 0.05))
        for name, noise in (("noisy", 1.6), ("clear", 0.9)):
            order = np.argsort(-(grades + noise * rng.standard_normal(60)), kind="stable")
            runs[name][query] = [docs[i] for i in order[:depth]]
        qrels[query] = {doc: int(grade) for doc, grade in zip(docs, grades, strict=True)}
    return Collection(qrels, runs, (("noisy", "clear"),))


def test_on_made_up_collections() -> None:
    """The order is not made for one collection: other grades, other depths, two systems that differ in noise."""
    found = [trial for seed in range(8) for trial in trials(made_up(seed), seeds=(seed,))]
    ratios = [trial.proposed / trial.by_rank for trial in found if trial.by_rank]
    assert len(ratios) >= 6
    assert statistics.fmean(ratios) <= 0.8
    assert max(ratios) <= 1.0


def test_asking_again_needs_no_more_on_average() -> None:
    found = [trial for seed in range(4) for trial in trials(made_up(seed), seeds=(seed,), batch=20)]
    assert statistics.fmean(trial.asked_again or 0 for trial in found) <= 1.05 * statistics.fmean(
        trial.proposed for trial in found
    )
