"""Many candidates on one query set, none of them better than the baseline: how often at least one passes.

A family is one real system as the baseline and twenty others as candidates, fixed beforehand, on one drawn query set.
`dense`: every query may change; the differences are real, about a mean of 0, with all their skew. `sparse`: a query
changes with probability 0.15, else candidate and baseline are equal there. Differences are halved, so that none is
greater than the range of a measure. Bounds are those of the default method, each attempt at its own confidence.

`gate_attempts` goes through `rankproof.gate` with a ledger on disk: P@10 of runs that are made to have it, where a
candidate gains and loses the same amounts with the same probability.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import numpy as np

from rankproof.proving.gate import gate
from rankproof.proving.ledger import spent_confidence
from rankproof.proving.power import smallest_difference

from .gates import CUTOFF, as_run
from .sparse import rejects
from .worlds import ByMeasure, Rate, Values, World, drawn, together

Kind = Literal["dense", "sparse"]
CANDIDATES = 20
CONFIDENCE = 0.95
# How often a query changes at all where most do not.
CHANGED = 0.15
RULE = {"rule": "least_gain", "measure": "P@10", "at_least": 0}
SEEDS = {"dense": 11, "sparse": 12}


def family_passes(scores: dict[str, Values], kind: Kind, n: int, families: int, *, spend: bool) -> ByMeasure:
    """How often at least one of twenty candidates that gain nothing passes `least_gain 0`."""
    rng = np.random.default_rng([n, SEEDS[kind]])
    found: ByMeasure = {}
    for measure, values in scores.items():
        changes = np.stack([_changes(values, kind, n, rng) for _ in range(families)])
        passed = np.array([passes(changes[:, k - 1], k if spend else None) for k in range(1, CANDIDATES + 1)])
        found[measure] = Rate(int(passed.any(axis=0).sum()), families)
    return together(found)


def _changes(values: Values, kind: Kind, n: int, rng: np.random.Generator) -> Values:
    """By candidate (rows) the changes on the queries of one set (columns); their true mean is 0."""
    baseline, *others = rng.permutation(values.shape[1])[: CANDIDATES + 1]
    differences = (values[:, others] - values[:, [baseline]]) / 2
    differences -= differences.mean(axis=0)
    changes = differences[rng.integers(0, len(values), n)].T
    return changes if kind == "dense" else changes * (rng.random(changes.shape) < CHANGED)


def passes(changes: Values, attempt: int | None) -> list[bool]:
    """Whether the rule passes each query set (row); as which attempt, or None without spending.

    A rule passes when its lower bound meets 0.
    """
    level = CONFIDENCE if attempt is None else spent_confidence(CONFIDENCE, attempt)
    return rejects(changes.T, 0.0, -1.0, alpha=1 - level).tolist()


def first_power(places: list[World], n: int, trials: int, *, spend: bool) -> ByMeasure:
    """How often the first attempt passes a gain that 80% of query sets would show without spending."""
    rng = np.random.default_rng([n, 13])
    found: ByMeasure = {}
    for world in places:
        topics = world.centered / 2
        gain = smallest_difference(float(topics.std()), n, level=CONFIDENCE, power=0.8, alternative="greater")
        hits = sum(passes(drawn(topics, n, trials, rng).T + gain, 1 if spend else None))
        found[world.measure] = found.get(world.measure, Rate()) + Rate(hits, trials)
    return together(found)


def gate_attempts(precisions: Values, kind: Kind, n: int, families: int, folder: Path, *, spend: bool) -> Rate:
    """The same through the whole gate, with a ledger for each family."""
    rng = np.random.default_rng([n, SEEDS[kind], 1])
    qrels = {f"q{i}": {f"r{k}": 1 for k in range(CUTOFF)} for i in range(n)}
    hits = 0
    for family in range(families):
        path = folder / f"{kind}-{n}-{family}-{spend}.jsonl"
        hits += any(_gated(qrels, *runs, path, spend) for runs in _runs(precisions, kind, n, rng))
        for file in (path, Path(f"{path}.head")):
            os.remove(file)
    return Rate(hits, families)


def _runs(precisions: Values, kind: Kind, n: int, rng: np.random.Generator) -> list[tuple[Values, Values]]:
    """Baseline and candidate, twenty times: gains and losses of the same size are equally likely in every query."""
    systems = rng.permutation(precisions.shape[1])[: CANDIDATES + 1]
    topics = rng.integers(0, len(precisions), n)
    baseline = precisions[topics, systems[0]]
    room = np.minimum(baseline, 1 - baseline)
    pairs = []
    for system in systems[1:]:
        size = np.minimum(np.abs(precisions[topics, system] - baseline), room)
        if kind == "sparse":
            size *= rng.random(n) < CHANGED
        pairs.append((baseline, baseline + size * rng.choice([-1.0, 1.0], n)))
    return pairs


def _gated(qrels: dict[str, dict[str, int]], baseline: Values, candidate: Values, path: Path, spend: bool) -> bool:
    policy = {"ledger": {"path": str(path), "spend_error": spend}, "rule": [RULE]}
    runs = {"baseline": as_run(baseline), "candidate": as_run(candidate)}
    return gate(policy, qrels=qrels, **runs, detail=False).status == "PASS"
