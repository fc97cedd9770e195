"""Where few queries change: the default gate lets a system that is worse by just the margin pass in 5 of 100 cases.

Two measures of each kind in the short form: P@10 and hits have few different values, AP and ERR have long tails. Rates
rest on 1,500 query sets a cell (Monte Carlo standard error 0.6 points); docs/statistics.md has those of 10,000.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from benchmarks.simulation.sparse import (
    ALPHA,
    MEASURES,
    Answers,
    Method,
    SparseWorld,
    answers,
    rejects,
    scores,
    sparse_worlds,
)  # fmt: skip
from tests.shared_data import needs_shared_data

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance.contract import SignificanceRequest

pytestmark = [pytest.mark.slow, needs_shared_data]
TRIALS = 1500
SHORT = ("P@10", "ERR@20", "hit")


def answered(worlds: list[SparseWorld], n: int, method: Method = "default") -> Answers:
    """All answers, with the trials spread over the worlds."""
    rng = np.random.default_rng([n, len(worlds)])
    found = [answers(world, n, -(-TRIALS // len(worlds)), rng, method) for world in worlds]
    return sum(found, Answers())


def cells() -> Iterator[object]:
    """Every cell; most take the long form."""
    for measure, n, unchanged in itertools.product(MEASURES, (10, 25, 50, 200), (0.6, 0.8, 0.95)):
        quick = measure in SHORT and n in (25, 50) and unchanged == 0.6
        yield pytest.param(measure, n, unchanged, marks=[] if quick else pytest.mark.full)


@pytest.mark.parametrize(("measure", "n", "unchanged"), list(cells()))
def test_few_changed_queries(measure: str, n: int, unchanged: float) -> None:
    """The t bound passes falsely in up to 21% of such cases."""
    found = answered(list(sparse_worlds({measure: scores()[measure]}, 30, unchanged)), n)
    most = ALPHA + 3 * (ALPHA * (1 - ALPHA) / found.passes.trials) ** 0.5
    assert found.passes.share <= most
    assert found.fails.share <= most
    assert found.covers.share >= 0.93


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full)])
def test_by_t_such_gates_would_err(n: int) -> None:
    """What the default is there for; without it the test above could not fail."""
    found = answered(list(sparse_worlds({"AP": scores()["AP"]}, 30, 0.8)), n, "t")
    assert found.passes.share > 0.10


@pytest.mark.parametrize("measure", MEASURES)
def test_most_queries_changed(measure: str) -> None:
    """One-sided bounds with Student's n - 1 degrees of freedom pass falsely in 7.5% of cases of AP."""
    found = answered(list(sparse_worlds({measure: scores()[measure]}, 100, 0.0)), 25)
    error = (0.07 * 0.93 / found.passes.trials) ** 0.5
    assert found.passes.share <= 0.07 + 3 * error
    assert found.fails.share <= 0.07 + 3 * error


@pytest.mark.parametrize("unchanged", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("two_sided", [False, True])
def test_the_simulation_asks_what_the_gate_asks(unchanged: float, two_sided: bool) -> None:
    """Its shortcut rejects where the shelf's bound lies above the threshold."""
    method = shelf.find("significance", "t_or_gaffke")
    rng = np.random.default_rng(3)
    for world in sparse_worlds(scores(), 2, unchanged):
        samples = world.changes[rng.integers(0, len(world.changes), (25, 6))]
        threshold = world.truth - 0.03
        found = rejects(samples, threshold, -1.0, alpha=0.05, two_sided=two_sided)
        question = SignificanceRequest(
            level=0.90 if two_sided else 0.95, alternative="two-sided" if two_sided else "greater", low=-1.0, high=1.0
        )
        for at in range(samples.shape[1]):
            answer = method.infer(np.ascontiguousarray(samples[:, at]), question, rng)
            assert isinstance(answer, Estimate)
            assert found[at] == (answer.low >= threshold)
