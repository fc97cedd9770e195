"""Mixture: an example of n queries whose means all round to what was reported."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.audit.claims import ROUNDING, Asked
from rankproof.flow.audit.hull import endpoints
from rankproof.flow.audit.space import Boxes, Space
from rankproof.records.audit import Placement

# How many different rankings an example may be made of: more make the solver slow, and an example no better.
MOST_RANKINGS = 100
# Branches that the solver may look at. A count and not a time: the same report has the same answer everywhere.
MOST_BRANCHES = 1_000


def mixture(space: Space, boxes: Boxes, asked: Sequence[Asked], queries: int) -> tuple[Placement, ...]:
    """Rankings and how many queries have each, so that all means are as reported; empty where none was found."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    values, whose = endpoints(boxes)
    # Inside the rounding intervals: what the solver calls equal may miss by its tolerance.
    low = np.array([claim.low + 2 * ROUNDING for claim in asked])
    high = np.array([claim.high - 2 * ROUNDING for claim in asked])
    chosen = _chosen(values, low, high)
    some = values[chosen]
    whole = np.ones((1, len(some)))
    told = milp(
        np.zeros(len(some)),
        constraints=[
            LinearConstraint(some.T, low * queries, high * queries),
            LinearConstraint(whole, queries, queries),
        ],
        integrality=whole[0],
        bounds=Bounds(0, queries),
        options={"node_limit": MOST_BRANCHES},
    )
    if told.x is None:
        return ()
    counts = np.round(told.x).astype(np.int64)
    means = (counts @ some / queries).tolist()
    # The solver is not taken at its word: the example is added up.
    meets = all(claim.low <= mean <= claim.high for claim, mean in zip(asked, means, strict=True))
    if counts.sum() != queries or not meets:
        return ()
    found = []
    for i in np.argsort(-counts, kind="stable").tolist():
        if counts[i] > 0:
            shape, best = whose[int(chosen[i])]
            found.append(space.placement(shape.best() if best else shape.worst(), shape.way, int(counts[i])))
    return tuple(found)


def _chosen(values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.intp]:
    """What an example is made of: rankings whose mixture comes nearest to the report, and some of all kinds."""
    from scipy.optimize import linprog

    every = np.arange(len(values))
    if len(values) <= MOST_RANKINGS:
        return every
    half = (high - low) / 2
    scaled, middle = values / half, (low + high) / 2 / half
    missed = -np.ones((2 * len(half), 1))
    told = linprog(
        np.append(np.zeros(len(values)), 1.0),
        A_ub=np.concatenate([np.concatenate([scaled.T, -scaled.T]), missed], axis=1),
        b_ub=np.concatenate([middle, -middle]),
        A_eq=np.append(np.ones(len(values)), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    near = np.flatnonzero(told.x[:-1] > 1e-9) if told.status == 0 else every[:0]
    return np.union1d(near, np.linspace(0, len(values) - 1, MOST_RANKINGS).astype(np.intp))
