"""The whole gate in worlds whose truth is known: runs whose P@10 are those of real systems on drawn topics."""

from __future__ import annotations

import numpy as np

from rankproof.proving.gate import gate

from .worlds import Rate, Values

CUTOFF = 10


def gate_passes(precisions: Values, n: int, trials: int, *, seed: int = 0) -> Rate:
    """How often no_regression passes a system that is worse by just its margin: another pair of systems each time.

    A P@10 of 0.7 is a run with seven relevant documents among its first ten, so that nothing has to be shifted: the
    candidate is the worse of two real systems, and the margin is what it loses on average over all topics.
    """
    rng = np.random.default_rng([seed, n, 4])
    hits = 0
    qrels = {f"q{i}": {f"r{k}": 1 for k in range(CUTOFF)} for i in range(n)}
    for better, worse in _pairs(precisions, trials, rng):
        margin = float((better - worse).mean())
        topics = rng.integers(0, len(better), n)
        baseline, candidate = (as_run(values[topics]) for values in (better, worse))
        rule = {"rule": "no_regression", "measure": "P@10", "margin": margin}
        verdict = gate({"rule": [rule]}, qrels=qrels, baseline=baseline, candidate=candidate, detail=False)
        hits += verdict.status == "PASS"
    return Rate(hits, trials)


def _pairs(precisions: Values, trials: int, rng: np.random.Generator) -> list[tuple[Values, Values]]:
    """Pairs of systems that differ in the mean, the better one first."""
    found: list[tuple[Values, Values]] = []
    while len(found) < trials:
        first, second = (precisions[:, i] for i in rng.permutation(precisions.shape[1])[:2])
        gap = float((first - second).mean())
        if abs(gap) > 1e-9:
            found.append((first, second) if gap > 0 else (second, first))
    return found


def as_run(precisions: Values) -> dict[str, dict[str, float]]:
    """Relevant documents first, then others, to the tenth."""
    run = {}
    for i, precision in enumerate(precisions.tolist()):
        relevant = round(CUTOFF * precision)
        docs = [f"r{k}" for k in range(relevant)] + [f"x{k}" for k in range(CUTOFF - relevant)]
        run[f"q{i}"] = {doc: float(CUTOFF - rank) for rank, doc in enumerate(docs)}
    return run
